package io.leasehold.autoconfigure.redlock;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.server.Ports;
import io.leasehold.server.RedisTestServer;
import io.leasehold.server.TestCertificate;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Applications with three masters that require TLS with certificates on both sides, and a
 * user. Operators of the masters have another port.
 */
@Tag("full")
class RedlockTlsIntegrationTests {

	@TempDir
	private static Path folder;

	private static final List<RedisTestServer> servers = new ArrayList<>();

	private static final List<Integer> ports = new ArrayList<>();

	private static final RedisClient operators = RedisClient.create();

	private static TestCertificate server;

	private static TestCertificate client;

	private final String namespace = "tls-" + UUID.randomUUID();

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
		.withPropertyValues("leasehold.namespace=" + this.namespace, "leasehold.engine=redlock",
				"leasehold.redlock.nodes="
						+ ports.stream().map((port) -> "127.0.0.1:" + port).collect(Collectors.joining(",")),
				"leasehold.redlock.restart-delay=0", "leasehold.redlock.command-timeout=10s",
				"leasehold.redlock.username=shop", "leasehold.redlock.password=secret",
				"leasehold.redlock.ssl.bundle=locks",
				"spring.ssl.bundle.pem.locks.truststore.certificate=file:" + server.certificate());

	private final ApplicationContextRunner trusted = this.runner.withPropertyValues(
			"spring.ssl.bundle.pem.locks.keystore.certificate=file:" + client.certificate(),
			"spring.ssl.bundle.pem.locks.keystore.private-key=file:" + client.key());

	@BeforeAll
	static void start() {
		server = TestCertificate.create(folder, "server");
		client = TestCertificate.create(folder, "client");
		for (int i = 0; i < 3; i++) {
			ports.add(Ports.free());
			servers.add(RedisTestServer.start("tls-port " + ports.get(i), "tls-cert-file " + server.certificate(),
					"tls-key-file " + server.key(), "tls-ca-cert-file " + client.certificate(),
					"user shop on >secret ~* &* +@all"));
		}
	}

	@AfterAll
	static void stop() {
		operators.shutdown();
		servers.forEach(RedisTestServer::close);
	}

	@Test
	void allMastersAreUsedByTlsAndAsTheUser() {
		this.trusted.run((context) -> {
			try (HeldLock held = acquire(context)) {
				assertThat(held.isValid()).isTrue();
				Awaitility.await().until(() -> holding() == 3);
				assertThat(asked(RedisCommands::clientList)).allMatch((clients) -> clients.contains("user=shop"));
			}
			Awaitility.await().until(() -> holding() == 0);
		});
	}

	@Test
	void wrongPasswordIsReportedAndNothingIsGranted() {
		this.trusted.withPropertyValues("leasehold.redlock.password=wrong")
			.run((context) -> fails(context, "WRONGPASS"));
	}

	@Test
	void processWithoutACertificateIsRejected() {
		this.runner.run((context) -> fails(context, "only 0 of 3 masters responded"));
	}

	@Test
	void mastersWithAnUnknownCertificateAreNotUsed() {
		this.trusted
			.withPropertyValues("spring.ssl.bundle.pem.locks.truststore.certificate=file:" + client.certificate())
			.run((context) -> fails(context, "only 0 of 3 masters responded"));
	}

	private void fails(ApplicationContext context, String reason) {
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> context.getBean(DistributedLocks.class).tryAcquire("order:42"))
			.withMessageContaining("Redlock could not acquire lock 'order:42'")
			.withMessageContaining(reason);
		assertThat(holding()).isZero();
	}

	/** The first connections of a JVM may take longer than a request. */
	private static HeldLock acquire(ApplicationContext context) {
		DistributedLocks locks = context.getBean(DistributedLocks.class);
		return Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.ignoreException(LockEngineException.class)
			.until(() -> locks.acquire("order:42"), HeldLock::isValid);
	}

	/** Return at how many masters the namespace has a lock. */
	private long holding() {
		return asked((operator) -> operator.keys("redlock:" + this.namespace + ":lock:*")).stream()
			.filter((names) -> !names.isEmpty())
			.count();
	}

	/** Ask each master as its operator. */
	private static <T> List<T> asked(Function<RedisCommands<String, String>, T> question) {
		List<T> responses = new ArrayList<>();
		for (RedisTestServer one : servers) {
			try (var connection = operators.connect(RedisURI.create("127.0.0.1", one.port()))) {
				responses.add(question.apply(connection.sync()));
			}
		}
		return responses;
	}

}
