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
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Parallel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link EtcdLockEngine} whose tokens become invalid, as by a change of a user or role.
 */
class EtcdLoginsIntegrationTests {

	private static final int CALLS = 16;

	private static final int READ_AND_WRITE = 2;

	private static final Message ROOT = EtcdOperator.credentials("root", "root");

	private final EtcdEngines engines = new EtcdEngines();

	private EtcdTestServer server;

	private boolean enabled;

	private EtcdRelay relay;

	private EtcdLockEngine engine;

	private Claim held;

	private Granted granted;

	@BeforeEach
	void acquire() throws Exception {
		this.server = this.engines.open(EtcdTestServer.start("bcrypt-cost=4"));
		send("UserAdd", ROOT);
		send("RoleAdd", Message.of(1, "root"));
		send("UserGrantRole", Message.of(1, "root").with(2, "root"));
		send("UserAdd", EtcdOperator.credentials("admin", "admin"));
		send("UserGrantRole", Message.of(1, "admin").with(2, "root"));
		send("AuthEnable", new Message());
		this.enabled = true;
		this.relay = this.engines.open(new EtcdRelay(this.server.url()));
		this.engine = engine("root");
		this.held = this.engines.claim(new LockKey("held"));
		this.granted = EtcdEngines.granted(this.engine, this.held);
	}

	private EtcdLockEngine engine(String user) {
		EtcdConnection connection = new EtcdConnection(List.of(URI.create(this.relay.url())), user, user, null);
		return this.engines.open(new EtcdLockEngine(connection, new EtcdSettings(this.engines.namespace,
				Duration.ofMinutes(30), Duration.ofSeconds(20), Duration.ofSeconds(2)), MonotonicClock.SYSTEM));
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	/** A login takes a tenth of a second of the server's processor, or more. */
	@Fault(158)
	@Test
	void requestsWhoseTokenIsInvalidShareOneLogin() throws Exception {
		int before = this.relay.requests(Rpc.LOGIN);
		changePassword("root");
		CountDownLatch sent = new CountDownLatch(CALLS);
		this.relay.beforeClaims(() -> {
			sent.countDown();
			await(sent); // all of them have the invalid token
		});
		Parallel.run(IntStream.range(0, CALLS).<Callable<Void>>mapToObj((i) -> () -> {
			EtcdEngines.granted(this.engine, this.engines.claim(new LockKey("order:" + i)));
			return null;
		}).toList());
		assertThat(this.relay.requests(Rpc.LOGIN) - before).isOne();
		assertThat(EtcdEngines.renew(this.engine, this.held, this.granted)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	/** The lock is kept: its lease is longer than the pause. */
	@Fault(158)
	@Test
	void rejectedLoginIsNotRepeatedAtOnceAndSucceedsLater() throws Exception {
		changePassword("another");
		int before = this.relay.requests(Rpc.LOGIN);
		long start = System.nanoTime();
		for (int i = 0; i < 50; i++) {
			assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> this.engine.tryAcquire(this.engines.claim(new LockKey("refused"))))
				.withMessageContaining("Check leasehold.etcd.username and leasehold.etcd.password");
		}
		long pauses = 1 + (System.nanoTime() - start) / Duration.ofSeconds(2).toNanos();
		assertThat(this.relay.requests(Rpc.LOGIN) - before).isBetween(1, (int) (1 + pauses));
		changePassword("root");
		EtcdEngines.eventually()
			.until(() -> EtcdEngines.renew(this.engine, this.held, this.granted) instanceof RenewalOutcome.Renewed);
	}

	/** A login does not help, so it is repeated once for each call. */
	@Fault(158)
	@Test
	void locksSurviveAPermissionThatIsLostForAWhile() throws Exception {
		send("UserAdd", EtcdOperator.credentials("shop", "shop"));
		send("RoleAdd", Message.of(1, "locks"));
		send("UserGrantRole", Message.of(1, "shop").with(2, "locks"));
		permit();
		EtcdLockEngine shop = engine("shop");
		Claim claim = this.engines.claim(new LockKey("of the shop"));
		Granted grant = EtcdEngines.granted(shop, claim);
		int before = this.relay.requests();
		send("RoleRevokePermission", Message.of(1, "locks").with(2, prefix()).with(3, KeyValue.rangeEnd(prefix())));
		for (int i = 0; i < 10; i++) {
			assertThat(EtcdEngines.renew(shop, claim, grant)).isInstanceOf(RenewalOutcome.Unknown.class);
			assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> shop.tryAcquire(this.engines.claim(new LockKey("another"))))
				.withMessageContaining("Grant the user the permission");
		}
		assertThat(this.relay.requests() - before).as("requests of 20 calls").isLessThan(20 * 6);
		permit();
		EtcdEngines.eventually().until(() -> EtcdEngines.renew(shop, claim, grant) instanceof RenewalOutcome.Renewed);
		assertThat(shop.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	private void permit() {
		Message permission = Message.of(1, READ_AND_WRITE).with(2, prefix()).with(3, KeyValue.rangeEnd(prefix()));
		send("RoleGrantPermission", Message.of(1, "locks").with(2, permission));
	}

	private String prefix() {
		return this.engines.namespace + "/";
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
	private void changePassword(String password) {
		send("UserChangePassword", EtcdOperator.credentials("root", password));
	}

	private String adminToken() {
		return EtcdOperator.send(this.server.url(), Rpc.LOGIN, EtcdOperator.credentials("admin", "admin")).text(2);
	}

	private void send(String method, Message request) {
		EtcdOperator.send(this.server.url(), Rpc.unary("Auth/" + method), request, this.enabled ? adminToken() : null);
	}

}
