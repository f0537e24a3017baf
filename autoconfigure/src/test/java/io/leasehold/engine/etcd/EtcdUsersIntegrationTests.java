package io.leasehold.engine.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link EtcdLockEngine} with a user whose tokens expire after a second without use.
 */
@Tag("full")
class EtcdUsersIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private final EtcdEngines engines = new EtcdEngines();

	private EtcdTestServer server;

	private FaultProxy proxy;

	private EtcdOperator operator;

	private EtcdLockEngine engine;

	private Claim claim;

	private Granted granted;

	/** The session needs no keep-alive during the test. */
	@BeforeEach
	void acquireAndLetTheTokenExpire() {
		this.server = this.engines.open(EtcdTestServer.start("bcrypt-cost=4", "auth-token-ttl=1"));
		EtcdOperator.enableUsers(this.server.url());
		this.proxy = this.engines.open(FaultProxy.to(this.server.port()));
		this.operator = new EtcdOperator(connection(this.server.url()));
		this.engine = this.engines
			.open(new EtcdLockEngine(
					connection(EtcdEngines.url(this.proxy)), new EtcdSettings(this.engines.namespace,
							Duration.ofMinutes(30), Duration.ofSeconds(5), Duration.ofMinutes(5)),
					MonotonicClock.SYSTEM));
		this.claim = this.engines.claim(KEY);
		this.granted = EtcdEngines.granted(this.engine, this.claim);
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(this.server.url()) == 1);
		awaitExpiry();
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	@Fault(158)
	@Test
	void runningWatchOutlivesItsToken() {
		assertThat(this.engine.inDoubt(this.claim)).isFalse();
		this.operator.revoke(lease());
		EtcdEngines.eventually().until(() -> this.engine.inDoubt(this.claim));
		assertThat(this.engine.release(this.claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	/** No other request logs in before the watch is opened again. */
	@Fault(158)
	@Test
	void watchThatBreaksAfterItsTokenExpiredIsOpenedAgain() {
		this.proxy.reset();
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(this.server.url()) == 1);
		assertThat(this.engine.inDoubt(this.claim)).isFalse();
		this.operator.revoke(lease());
		EtcdEngines.eventually().until(() -> this.engine.inDoubt(this.claim));
	}

	@Fault(158)
	@Test
	void renewalAndReleaseLogInAgain() {
		assertThat(EtcdEngines.renew(this.engine, this.claim, this.granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		awaitExpiry();
		assertThat(this.engine.release(this.claim)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(this.operator.keys(this.engines.keys.claims(KEY))).isEmpty();
	}

	/**
	 * Wait until a token has expired that is not older than the engine's. Each one is
	 * used once, because a use extends it.
	 */
	private void awaitExpiry() {
		Deque<String> tokens = new ArrayDeque<>();
		for (int i = 0; i < 100; i++) {
			tokens.add(EtcdOperator.token(this.server.url()));
		}
		EtcdEngines.eventually()
			.pollInterval(Duration.ofMillis(200))
			.until(() -> EtcdOperator.isExpired(this.server.url(), tokens.remove()));
	}

	private long lease() {
		return this.operator.read(this.engines.keys.claims(KEY)).get(0).lease();
	}

	private static EtcdConnection connection(String url) {
		return new EtcdConnection(List.of(URI.create(url)), "root", "root", null);
	}

}
