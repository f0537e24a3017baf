package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RenewalRule;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.FaultProxy;
import io.leasehold.service.LockService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sessions of an {@link EtcdLockEngine}, each as long as the leases of its locks need.
 */
class EtcdSessionsIntegrationTests {

	private static final Duration LONGEST = Duration.ofMinutes(10);

	private static final Duration LEASE = EtcdEngines.CALL_TIMEOUT.multipliedBy(2);

	private final EtcdEngines engines = new EtcdEngines();

	private final String url = EtcdTestServer.shared().url();

	private final EtcdOperator operator = new EtcdOperator(this.url);

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	@Test
	void lockWithAShortLeaseIsFreeSoonAfterItsProcessWasCutOff() {
		FaultProxy proxy = this.engines.proxy();
		EtcdLockEngine cutOff = engine(MonotonicClock.SYSTEM, EtcdEngines.url(proxy));
		LockKey brief = new LockKey("brief");
		LockKey lasting = new LockKey("lasting");
		EtcdEngines.granted(cutOff, claim(brief, LEASE));
		EtcdEngines.granted(cutOff, claim(lasting, LONGEST));
		proxy.blackHole();
		EtcdLockEngine other = engine(MonotonicClock.SYSTEM, this.url);
		EtcdEngines.eventually().until(() -> other.tryAcquire(claim(brief, LEASE)) instanceof Granted);
		assertThat(other.tryAcquire(claim(lasting, LONGEST))).isInstanceOf(Busy.class);
	}

	@Test
	void grantsAreValidForTheirWholeLease() {
		long now = System.nanoTime();
		EtcdLockEngine engine = engine(() -> now, this.url);
		IntStream.rangeClosed(10, 99).mapToObj(Duration::ofSeconds).forEach((lease) -> {
			Granted granted = EtcdEngines.granted(engine, claim(new LockKey("k" + lease), lease));
			assertThat(granted.validUntil()).isEqualTo(MonotonicClock.validUntil(now, lease));
		});
		assertThat(sessions()).as("sessions for 90 leases").hasSizeLessThan(6);
	}

	@Test
	void sessionThatNoClaimNeedsEnds() {
		AtomicLong ahead = new AtomicLong();
		EtcdLockEngine engine = engine(() -> System.nanoTime() + ahead.get(), this.url);
		LockKey key = new LockKey("k");
		EtcdEngines.granted(engine, claim(new LockKey("held"), LONGEST));
		lockAndUnlock(engine, key);
		lockAndUnlock(engine, key);
		assertThat(sessions()).hasSize(2);
		ahead.set(RenewalRule.sessionTimeout(LEASE).toNanos());
		lockAndUnlock(engine, key);
		ahead.addAndGet(RenewalRule.sessionTimeout(LEASE).plusSeconds(1).toNanos());
		EtcdEngines.eventually().until(() -> sessions().size() == 1);
		lockAndUnlock(engine, key);
		assertThat(sessions()).hasSize(2);
	}

	/** Its lock has the lease of other locks. */
	@Test
	void healthCheckNeedsNoFurtherSession() {
		LockService service = this.engines.service(engine(MonotonicClock.SYSTEM, this.url), LONGEST);
		service.acquire("k").close();
		service.inspector().probe("");
		assertThat(sessions()).hasSize(1);
	}

	private EtcdLockEngine engine(MonotonicClock clock, String url) {
		return this.engines.engine(LONGEST, clock, url);
	}

	private Claim claim(LockKey key, Duration lease) {
		return this.engines.claim(key, Access.EXCLUSIVE, lease);
	}

	private void lockAndUnlock(EtcdLockEngine engine, LockKey key) {
		Claim claim = claim(key, LEASE);
		EtcdEngines.granted(engine, claim);
		engine.release(claim);
	}

	private List<String> sessions() {
		return this.operator.keys(this.engines.keys.session(0).replaceFirst("0$", ""));
	}

}
