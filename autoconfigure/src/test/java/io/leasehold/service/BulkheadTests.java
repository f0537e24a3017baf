package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.TestSettings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what a slow renewal leaves alone.
 */
class BulkheadTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final VirtualClock clock = new VirtualClock();

	private final LocalLockEngine store = new LocalLockEngine(this.clock);

	private final CountDownLatch goesOn = new CountDownLatch(1);

	private final List<AutoCloseable> opened = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		this.goesOn.countDown();
		for (AutoCloseable one : this.opened) {
			one.close();
		}
	}

	/** One engine's renewal never returns: the locks of the other are renewed. */
	@Fault(56)
	@Test
	void renewalThatHangsLeavesOtherEnginesAlone() {
		LockService service = service(new Stuck(), new Healthy());
		HeldLock stuck = service.acquire("a", options("stuck"));
		HeldLock healthy = service.acquire("a", options("healthy"));
		awaitRenewals(healthy);
		assertThat(stuck.isValid()).isFalse();
		assertThat(healthy.isValid()).isTrue();
		healthy.close();
	}

	/**
	 * One key's renewal is slow and fails, again and again: the other keys of its batch
	 * are renewed, since a batch reports the fate of each.
	 */
	@Fault(56)
	@Test
	void renewalOfOneKeyThatFailsLeavesOtherKeysAlone() {
		LockService service = service(new SlowKey());
		HeldLock slow = service.acquire("slow", options("slow-key"));
		HeldLock other = service.acquire("other", options("slow-key"));
		awaitRenewals(other);
		assertThat(slow.isValid()).isFalse();
		assertThat(other.isValid()).isTrue();
		other.close();
	}

	/** Let more time than a lease pass, in which a lock is renewed. */
	private void awaitRenewals(HeldLock held) {
		for (int i = 0; i < 4; i++) {
			this.clock.advance(LEASE.dividedBy(3));
			Awaitility.await().until(() -> held.remaining().compareTo(LEASE.multipliedBy(3).dividedBy(4)) > 0);
		}
	}

	private static LockOptions options(String engine) {
		return new LockOptions("test", engine, LEASE, Duration.ZERO, Duration.ZERO, LockOptions.UNLIMITED);
	}

	private LockService service(LockEngine... engines) {
		LockService service = new LockService(TestSettings.of(options(engines[0].name()), OnLost.WARN),
				List.of(engines), Member.of("test"), this.clock, List.of(), ReleaseTiming.IMMEDIATE);
		this.opened.add(service);
		return service;
	}

	private final class Stuck extends DelegatingEngine {

		Stuck() {
			super(new LocalLockEngine(BulkheadTests.this.clock));
		}

		@Override
		public String name() {
			return "stuck";
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> due) {
			pause(60_000);
			return super.renew(due);
		}

	}

	private final class Healthy extends DelegatingEngine {

		Healthy() {
			super(BulkheadTests.this.store);
		}

		@Override
		public String name() {
			return "healthy";
		}

	}

	private final class SlowKey extends DelegatingEngine {

		SlowKey() {
			super(BulkheadTests.this.store);
		}

		@Override
		public String name() {
			return "slow-key";
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> due) {
			return due.stream().map((renewal) -> {
				if (renewal.claim().key().value().equals("slow")) {
					pause(200);
					return new RenewalOutcome.Unknown(new IllegalStateException("slow"));
				}
				return super.renew(List.of(renewal)).get(0);
			}).toList();
		}

	}

	private void pause(long millis) {
		try {
			this.goesOn.await(millis, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
