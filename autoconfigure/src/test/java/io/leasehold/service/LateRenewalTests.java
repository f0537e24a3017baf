package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leasehold.HeldLock;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.LockEvent;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LateRenewalTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final VirtualClock clock = new VirtualClock();

	private final List<LockEvent.LeaseRenewed> renewals = new CopyOnWriteArrayList<>();

	/**
	 * A process that got no processor time takes up the response to a renewal when its
	 * lease is over: it stays so, and the slack of the renewal is reported as none.
	 */
	@Fault(4)
	@Test
	void responseAfterTheLeaseRevivesNothing() {
		try (LockService service = service(new PausedEngine(new LocalLockEngine(this.clock)))) {
			HeldLock held = service.acquire("a");
			this.clock.advance(LEASE.dividedBy(3));
			Awaitility.await().until(() -> !this.renewals.isEmpty());
			assertThat(held.isValid()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
			assertThat(this.renewals).singleElement().satisfies((renewal) -> assertThat(renewal.slack()).isZero());
		}
	}

	private LockService service(LockEngine engine) {
		LockOptions defaults = new LockOptions("test", "local", LEASE, LEASE, Duration.ZERO, LockOptions.UNLIMITED);
		return new LockService(new ServiceSettings(defaults, OnLost.THROW, 63, Duration.ofSeconds(5)), List.of(engine),
				Member.of("test"), this.clock, List.of((event) -> {
					if (event instanceof LockEvent.LeaseRenewed renewal) {
						this.renewals.add(renewal);
					}
				}), ReleaseTiming.IMMEDIATE);
	}

	/** Its process stands still between the store's response and what comes of it. */
	private final class PausedEngine extends DelegatingEngine {

		PausedEngine(LockEngine engine) {
			super(engine);
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> batch) {
			List<RenewalOutcome> outcomes = super.renew(batch);
			LateRenewalTests.this.clock.advance(LEASE.multipliedBy(5).dividedBy(6));
			return outcomes;
		}

	}

}
