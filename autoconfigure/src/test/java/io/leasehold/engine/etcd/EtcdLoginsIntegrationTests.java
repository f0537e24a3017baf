package io.leasehold.engine.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Parallel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link EtcdLockEngine} whose tokens become invalid, as by a change of a user or role.
 */
@Timeout(120)
class EtcdLoginsIntegrationTests {

	private static final String LOGIN = "/v3/auth/authenticate";

	private static final int CALLS = 16;

	private static final Credentials ROOT = new Credentials("root", "root");

	private final EtcdEngines engines = new EtcdEngines();

	private EtcdTestServer server;

	private EtcdRelay relay;

	private EtcdLockEngine engine;

	private Claim held;

	private Granted granted;

	@BeforeEach
	void acquire() throws Exception {
		this.server = this.engines.open(EtcdTestServer.start("bcrypt-cost=4"));
		send("/v3/auth/user/add", ROOT.request());
		send("/v3/auth/role/add", JsonObject.of("name", "root"));
		send("/v3/auth/user/grant", JsonObject.of("user", "root").with("role", "root"));
		send("/v3/auth/user/add", new Credentials("admin", "admin").request());
		send("/v3/auth/user/grant", JsonObject.of("user", "admin").with("role", "root"));
		send("/v3/auth/enable", new JsonObject());
		this.relay = this.engines.open(new EtcdRelay(this.server.url()));
		EtcdConnection connection = new EtcdConnection(List.of(URI.create(this.relay.url())), "root", "root", null);
		this.engine = this.engines.open(new EtcdLockEngine(connection, new EtcdSettings(this.engines.namespace,
				Duration.ofMinutes(30), Duration.ofSeconds(20), Duration.ofMinutes(5)), MonotonicClock.SYSTEM));
		this.held = this.engines.claim(new LockKey("held"));
		this.granted = EtcdEngines.granted(this.engine, this.held);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	/** A login takes a tenth of a second of the server's processor, or more. */
	@Fault(158)
	@Test
	void requestsWhoseTokenIsInvalidShareOneLogin() throws Exception {
		int before = this.relay.requests(LOGIN);
		CountDownLatch waiting = new CountDownLatch(CALLS);
		this.relay.change("/v3/kv/txn", (body) -> {
			if (body.contains("\"code\"")) {
				waiting.countDown();
			}
			return body;
		});
		this.relay.before(LOGIN, () -> await(waiting));
		changePassword("root");
		Parallel.run(IntStream.range(0, CALLS).<Callable<Void>>mapToObj((i) -> () -> {
			EtcdEngines.granted(this.engine, this.engines.claim(new LockKey("order:" + i)));
			return null;
		}).toList());
		assertThat(this.relay.requests(LOGIN) - before).isOne();
		assertThat(EtcdEngines.renew(this.engine, this.held, this.granted)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	/** The lock is kept: its lease is longer than the pause. */
	@Fault(158)
	@Test
	void rejectedLoginIsNotRepeatedAtOnceAndSucceedsLater() throws Exception {
		changePassword("another");
		int before = this.relay.requests(LOGIN);
		long start = System.nanoTime();
		for (int i = 0; i < 50; i++) {
			assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> this.engine.tryAcquire(this.engines.claim(new LockKey("refused"))))
				.withMessageContaining("Check leasehold.etcd.username and leasehold.etcd.password");
		}
		long pauses = 1 + (System.nanoTime() - start) / Duration.ofSeconds(2).toNanos();
		assertThat(this.relay.requests(LOGIN) - before).isBetween(1, (int) (1 + pauses));
		changePassword("root");
		EtcdEngines.eventually()
			.until(() -> EtcdEngines.renew(this.engine, this.held, this.granted) instanceof RenewalOutcome.Renewed);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Any change of a password invalidates the user's tokens, and so does a revision. */
	private void changePassword(String password) throws Exception {
		String token = JsonReader
			.parse(EtcdOperator.send(this.server.url(), LOGIN,
					JsonObject.of("name", "admin").with("password", "admin")))
			.text("token");
		EtcdOperator.send(this.server.url(), "/v3/auth/user/changepw",
				JsonObject.of("name", "root").with("password", password), token);
	}

	private void send(String path, JsonObject body) throws Exception {
		EtcdOperator.send(this.server.url(), path, body);
	}

}
