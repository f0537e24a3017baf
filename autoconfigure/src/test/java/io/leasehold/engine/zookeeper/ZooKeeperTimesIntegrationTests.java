package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.AbstractList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.Claims;
import org.apache.curator.drivers.AdvancedTracerDriver;
import org.apache.curator.drivers.EventTrace;
import org.apache.curator.drivers.OperationTrace;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryForever;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.eventually;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Times that the engine measures on its clock, to the nanosecond.
 */
@Tag("full")
class ZooKeeperTimesIntegrationTests {

	private static final Duration SESSION = Duration.ofSeconds(16);

	private static final Duration POLL = Duration.ofSeconds(1);

	private static final Duration CALL = Duration.ofSeconds(3);

	private static final Duration NANO = Duration.ofNanos(1);

	private static final Duration LONG_CALL = Duration.ofSeconds(20);

	/** Others may see the nodes of a client for a while after it was stopped. */
	private final LockKey key = new LockKey("times:" + UUID.randomUUID());

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final ManualClock clock = new ManualClock();

	private final AtomicInteger readings = new AtomicInteger();

	private final AtomicInteger touches = new AtomicInteger();

	private final AtomicBoolean nextTickFails = new AtomicBoolean();

	private final CuratorFramework client = CuratorFrameworkFactory.newClient(ZooKeeperTestServer.shared(),
			(int) SESSION.toMillis(), 2000, new RetryForever(100));

	private final ZooKeeperLockEngine engine = this.engines
		.open(ZooKeeperLockEngine.owning(this.client, Duration.ZERO, settings(LONG_CALL), this::read));

	private static ZooKeeperSettings settings(Duration callTimeout) {
		return new ZooKeeperSettings("faults", "/leasehold", callTimeout, POLL);
	}

	@AfterEach
	void close() throws Exception {
		this.engines.close();
		this.client.close();
	}

	private long read() {
		this.readings.incrementAndGet();
		if (Thread.currentThread().getName().startsWith("leasehold-zookeeper-")
				&& this.nextTickFails.compareAndSet(true, false)) {
			throw new OutOfMemoryError("no");
		}
		return this.clock.nanoTime();
	}

	/** Wait for a tick that began after now. */
	private void tick() {
		int before = this.readings.get();
		eventually().until(() -> this.readings.get() >= before + 2);
	}

	@Test
	void sessionIsTouchedEachEighthOfItsTimeout() throws Exception {
		this.engines.useOnce(this.engine, this.key);
		countTouches();
		assertThat(touchesAfter(SESSION.dividedBy(8).minus(NANO))).isZero();
		assertThat(touchesAfter(NANO)).isOne();
		assertThat(touchesAfter(SESSION.dividedBy(8).minus(NANO))).isOne();
		assertThat(touchesAfter(NANO)).isEqualTo(2);
	}

	/** The last request gets its response after those of the tick. */
	private int touchesAfter(Duration time) throws Exception {
		this.clock.advance(time);
		tick();
		CountDownLatch responded = new CountDownLatch(1);
		this.client.checkExists().inBackground((source, event) -> responded.countDown()).forPath("/");
		assertThat(responded.await(1, TimeUnit.MINUTES)).isTrue();
		return this.touches.get();
	}

	private void countTouches() {
		this.client.getZookeeperClient().setTracerDriver(new AdvancedTracerDriver() {
			@Override
			public void addTrace(OperationTrace trace) {
				if ("/leasehold/faults".equals(trace.getPath())) {
					ZooKeeperTimesIntegrationTests.this.touches.incrementAndGet();
				}
			}

			@Override
			public void addEvent(EventTrace trace) {
			}
		});
	}

	@Test
	void clientOfAClosedEngineEndsWithTheLastLease() {
		Claim claim = this.engines.claim(this.key);
		granted(this.engine, claim);
		this.engine.close();
		this.clock.advance(claim.lease().minus(NANO));
		tick();
		assertThat(this.client.getState()).isEqualTo(CuratorFrameworkState.STARTED);
		this.clock.advance(NANO);
		eventually().until(() -> this.client.getState() == CuratorFrameworkState.STOPPED);
	}

	@Test
	void clientOfAClosedEngineEndsAtOnceIfNothingIsHeld() {
		this.engines.useOnce(this.engine, this.key);
		this.engine.close();
		// A tick may find that nothing is held just before the call does
		eventually().until(() -> this.client.getState() == CuratorFrameworkState.STOPPED);
	}

	@Test
	void leaseEndsAlthoughATickFailed() {
		Claim claim = this.engines.claim(this.key);
		granted(this.engine, claim);
		this.nextTickFails.set(true);
		eventually().until(() -> !this.nextTickFails.get());
		this.clock.advance(claim.lease());
		eventually().until(() -> this.engine.inspect(this.key).isEmpty());
	}

	@Test
	void waitingClaimPollsOnceInAPollIntervalOrATenthEarlier() {
		Claim held = this.engines.claim(this.key);
		granted(this.engine, held);
		Claim waiting = Claims.waiting(this.engines.claim(this.key));
		for (int i = 0; i < 100; i++) {
			assertThat(this.engine.tryAcquire(waiting)).isInstanceOfSatisfying(AcquisitionOutcome.Busy.class,
					(busy) -> assertThat(busy.retryIn()).isBetween(POLL.multipliedBy(9).dividedBy(10), POLL));
		}
		this.engine.release(waiting);
		this.engine.release(held);
	}

	/** They are checked in portions. */
	@Test
	void anyNumberOfLocksIsRenewedAtOnce() {
		Claim claim = this.engines.claim(this.key);
		Granted granted = granted(this.engine, claim);
		Renewal renewal = new Renewal(claim, granted.number(), claim.lease());
		assertThat(this.engine.renew(Collections.nCopies(1100, renewal))).hasSize(1100)
			.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		this.engine.release(claim);
	}

	/** Reads without a waiting caller would delay those of the next renewal. */
	@Test
	void locksAreNotCheckedAfterTheCallTimeout() {
		this.engines.useOnce(this.engine, this.key);
		ZooKeeperLockEngine brief = this.engines
			.open(ZooKeeperLockEngine.using(this.client, settings(CALL), this::read));
		Claim claim = this.engines.claim(this.key);
		Granted granted = granted(brief, claim);
		Renewal renewal = new Renewal(claim, granted.number(), claim.lease());
		List<RenewalOutcome> outcomes = brief.renew(new SlowList(renewal));
		assertThat(outcomes).hasSize(1100);
		assertThat(outcomes.subList(1001, 1100)).allSatisfy((outcome) -> assertThat(outcome)
			.isInstanceOfSatisfying(RenewalOutcome.Unknown.class, (unknown) -> assertThat(unknown.cause())
				.hasMessage("ZooKeeper could not renew lock '%s': no time was left to send the request", this.key)));
		brief.release(claim);
	}

	/**
	 * Renewals of one lock; the one after the first thousand is there when the call
	 * timeout is over.
	 */
	private static final class SlowList extends AbstractList<Renewal> {

		private final Renewal renewal;

		SlowList(Renewal renewal) {
			this.renewal = renewal;
		}

		@Override
		public Renewal get(int index) {
			if (index == 1000) {
				long begin = System.nanoTime();
				eventually().until(() -> System.nanoTime() - begin >= CALL.toNanos());
			}
			return this.renewal;
		}

		@Override
		public int size() {
			return 1100;
		}

	}

}
