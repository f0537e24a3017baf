package io.leasehold.autoconfigure.etcd;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.etcd.EtcdConnection;
import io.leasehold.engine.etcd.EtcdLockEngine;
import io.leasehold.engine.etcd.EtcdSettings;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.TestCertificate;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Applications with etcd: users, TLS, and the end of the application.
 */
@Tag("full")
class LeaseholdEtcdIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class, SslAutoConfiguration.class))
		.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=100ms", "leasehold.etcd.call-timeout=10s",
				"leasehold.lease=1m");

	@TempDir
	private Path folder;

	@AfterEach
	void closeAll() throws Exception {
		for (AutoCloseable resource : this.opened) {
			resource.close();
		}
	}

	/**
	 * A body continues after the grace period of the shutdown: no other one may begin.
	 */
	@Test
	@Fault(value = 88, engine = "etcd")
	void bodyThatOutlastsTheShutdownIsNotifiedAndItsKeyLeftToItsLease() {
		EtcdTestServer server = open(EtcdTestServer.start());
		EtcdLockEngine elsewhere = open(elsewhere(server));
		ApplicationContextRunner brief = this.runner.withPropertyValues("leasehold.lease=" + LEASE.toMillis() + "ms",
				"leasehold.etcd.call-timeout=4s", "leasehold.etcd.endpoints=" + server.url());
		brief.run((context) -> {
			HeldLock held = context.getBean(DistributedLocks.class).acquire("order:42");
			long leaseEnd = System.nanoTime() + held.remaining().toNanos();
			context.getSourceApplicationContext().close();
			assertThat(held.isValid()).isFalse();
			assertThat(elsewhere.inspect(new LockKey("order:42"))).hasSize(1);
			Pace closed = Pace.begin();
			eventually(() -> elsewhere.inspect(new LockKey("order:42")).isEmpty());
			assertThat(System.nanoTime() - leaseEnd).isPositive();
			assertThat(closed.elapsed()).isLessThan(LEASE.plus(closed.slack(LEASE)));
			eventually(() -> leases(server) == 0);
		});
	}

	/** Otherwise others would wait for its session to time out. */
	@Test
	void leaseEndsWithTheContextIfNothingIsHeld() {
		EtcdTestServer server = open(EtcdTestServer.start());
		this.runner.withPropertyValues("leasehold.lease=10m", "leasehold.etcd.endpoints=" + server.url())
			.run((context) -> {
				context.getBean(DistributedLocks.class).acquire("order:42").close();
				assertThat(leases(server)).isEqualTo(1);
				context.getSourceApplicationContext().close();
				assertThat(leases(server)).isZero();
			});
	}

	@Fault(value = 158, engine = "etcd")
	@Test
	void userLogsInAndAgainWhenTheServerForgotTheToken() {
		EtcdTestServer server = open(EtcdTestServer.start("bcrypt-cost=4"));
		enableUsers(server);
		this.runner
			.withPropertyValues("leasehold.etcd.endpoints=" + server.url(), "leasehold.etcd.username=shop",
					"leasehold.etcd.password=secret")
			.run((context) -> {
				lockAndUnlock(context);
				server.kill(); // tokens are in its memory
				server.run();
				server.awaitReady();
				eventually(() -> {
					try (HeldLock held = context.getBean(DistributedLocks.class).acquire("order:42")) {
						return held.isValid();
					}
					catch (LockEngineException ex) {
						assertThat(ex.isRetryable()).as(ex.getMessage()).isTrue();
						return false;
					}
				});
				assertThat(context.getBean(EtcdProperties.class).toString()).doesNotContain("secret");
			});
	}

	@Test
	void wrongPasswordAndMissingPermissionDoNotPassByThemselves() {
		EtcdTestServer server = open(EtcdTestServer.start("bcrypt-cost=4"));
		enableUsers(server);
		ApplicationContextRunner shop = this.runner.withPropertyValues("leasehold.etcd.endpoints=" + server.url(),
				"leasehold.etcd.username=shop");
		shop.withPropertyValues("leasehold.etcd.password=wrong")
			.run((context) -> fails(context, "leasehold.etcd.username and leasehold.etcd.password"));
		shop.withPropertyValues("leasehold.etcd.password=secret", "leasehold.namespace=another")
			.run((context) -> fails(context, "permission to read and write all keys that begin with the namespace"));
		this.runner.withPropertyValues("leasehold.etcd.endpoints=" + server.url())
			.run((context) -> fails(context, "leasehold.etcd.username and leasehold.etcd.password"));
	}

	@Test
	void connectionIsTrustedByTheBundleAndShowsItsCertificate() throws Exception {
		TestCertificate server = TestCertificate.create(this.folder, "server");
		TestCertificate client = TestCertificate.create(this.folder, "client");
		// The gateway is a client of its own server
		Path trusted = Files.writeString(this.folder.resolve("trusted.pem"),
				Files.readString(server.certificate()) + Files.readString(client.certificate()));
		EtcdTestServer etcd = open(EtcdTestServer.startWithTls("cert-file=" + server.certificate(),
				"key-file=" + server.key(), "client-cert-auth=true", "trusted-ca-file=" + trusted));
		ApplicationContextRunner trusting = trusting(etcd, server);
		trusting
			.withPropertyValues("spring.ssl.bundle.pem.locks.keystore.certificate=file:" + client.certificate(),
					"spring.ssl.bundle.pem.locks.keystore.private-key=file:" + client.key())
			.run(LeaseholdEtcdIntegrationTests::eventuallyLocks);
		trusting.run((context) -> doesNotRespond(context, ""));
	}

	@Test
	void clientCertificateIsOnlyNecessaryIfTheServerRequiresIt() {
		TestCertificate server = TestCertificate.create(this.folder, "server");
		trusting(startWithTls(server), server).run(LeaseholdEtcdIntegrationTests::eventuallyLocks);
	}

	/** Neither by the bundle nor by the JVM, while another bundle trusts it. */
	@Test
	void serverWithAnUntrustedCertificateIsRejected() {
		TestCertificate server = TestCertificate.create(this.folder, "server");
		EtcdTestServer etcd = startWithTls(server);
		trusting(etcd, server).run(LeaseholdEtcdIntegrationTests::eventuallyLocks);
		trusting(etcd, TestCertificate.create(this.folder, "another"))
			.run((context) -> doesNotRespond(context, "unable to find valid certification path"));
		reaching(etcd).run((context) -> doesNotRespond(context, "unable to find valid certification path"));
	}

	private EtcdTestServer startWithTls(TestCertificate server) {
		return open(EtcdTestServer.startWithTls("cert-file=" + server.certificate(), "key-file=" + server.key()));
	}

	private ApplicationContextRunner reaching(EtcdTestServer etcd) {
		return this.runner.withPropertyValues("leasehold.engine=etcd",
				"leasehold.etcd.endpoints[0]=https://127.0.0.1:" + etcd.port());
	}

	private ApplicationContextRunner trusting(EtcdTestServer etcd, TestCertificate server) {
		return reaching(etcd).withPropertyValues("leasehold.etcd.ssl.bundle=locks",
				"spring.ssl.bundle.pem.locks.truststore.certificate=file:" + server.certificate());
	}

	private static void doesNotRespond(ApplicationContext context, String reason) {
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> context.getBean(DistributedLocks.class).tryAcquire("order:42"))
			.withMessageContaining("did not respond")
			.withMessageContaining(reason);
	}

	/** The server may just have been started. */
	private static void eventuallyLocks(ApplicationContext context) {
		eventually(() -> {
			try {
				lockAndUnlock(context);
				return true;
			}
			catch (LockEngineException ex) {
				return false;
			}
		});
	}

	private static void lockAndUnlock(ApplicationContext context) {
		try (HeldLock held = context.getBean(DistributedLocks.class).acquire("order:42")) {
			assertThat(held.isValid()).isTrue();
		}
	}

	private static void fails(ApplicationContext context, String hint) {
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> context.getBean(DistributedLocks.class).tryAcquire("order:42"))
			.withMessageContaining(hint)
			.matches((ex) -> !ex.isRetryable(), "does not pass by itself");
	}

	private static EtcdLockEngine elsewhere(EtcdTestServer server) {
		return new EtcdLockEngine(new EtcdConnection(List.of(URI.create(server.url())), null, null, null),
				new EtcdSettings("leasehold", Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(1)),
				MonotonicClock.SYSTEM);
	}

	/** Users with a role for the keys of a namespace. */
	private static void enableUsers(EtcdTestServer server) {
		send(server, "/v3/auth/user/add", "{\"name\":\"root\",\"password\":\"root\"}");
		send(server, "/v3/auth/role/add", "{\"name\":\"root\"}");
		send(server, "/v3/auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
		send(server, "/v3/auth/user/add", "{\"name\":\"shop\",\"password\":\"secret\"}");
		send(server, "/v3/auth/role/add", "{\"name\":\"locks\"}");
		send(server, "/v3/auth/role/grant", """
				{"name":"locks","perm":{"permType":"READWRITE","key":"bGVhc2Vob2xkLw==","range_end":"bGVhc2Vob2xkMA=="}}
				""");
		send(server, "/v3/auth/user/grant", "{\"user\":\"shop\",\"role\":\"locks\"}");
		send(server, "/v3/auth/enable", "{}");
	}

	private static int leases(EtcdTestServer server) {
		return send(server, "/v3/lease/leases", "{}").split("\"ID\"").length - 1;
	}

	private static String send(EtcdTestServer server, String path, String body) {
		HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + path))
			.POST(HttpRequest.BodyPublishers.ofString(body))
			.build();
		try {
			HttpResponse<String> response = HttpClient.newHttpClient()
				.send(request, HttpResponse.BodyHandlers.ofString());
			assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
			return response.body();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void eventually(Callable<Boolean> condition) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20)).until(condition);
	}

	private <T extends AutoCloseable> T open(T resource) {
		this.opened.add(0, resource);
		return resource;
	}

}
