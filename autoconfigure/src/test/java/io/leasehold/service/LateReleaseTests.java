package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.LockEvent;
import io.leasehold.test.contract.DelegatingEngine;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Releases whose first attempt had no response, so that they are repeated after their
 * holders have gone.
 */
@ExtendWith(OutputCaptureExtension.class)
class LateReleaseTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final AtomicLong ahead = new AtomicLong();

	private final MonotonicClock clock = () -> System.nanoTime() + this.ahead.get();

	private final LocalLockEngine store = new LocalLockEngine(this.clock);

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final AtomicInteger responses = new AtomicInteger();

	/** The first attempt may have released it, and its response was lost. */
	@Test
	void notOwnerAtARepeatedReleaseIsNoLoss() {
		releaseIsRepeated(ReleaseOutcome.NotOwner::new);
	}

	@Test
	void repeatedReleaseThatSucceedsIsNoLoss() {
		releaseIsRepeated(() -> ReleaseOutcome.RELEASED);
	}

	private void releaseIsRepeated(Supplier<ReleaseOutcome> repeated) {
		try (LockService service = service(repeated)) {
			service.acquire(KEY.value()).close();
			Awaitility.await().until(() -> this.responses.get() == 1);
			service.acquire("other").close();
			Awaitility.await()
				.during(Duration.ofMillis(200))
				.untilAsserted(() -> assertThat(this.events).noneMatch(LockEvent.HoldLost.class::isInstance));
		}
	}

	private LockService service(Supplier<ReleaseOutcome> repeated) {
		LockOptions defaults = new LockOptions("test", "local", LEASE, Duration.ofSeconds(20), Duration.ZERO,
				LockOptions.UNLIMITED);
		return new LockService(new ServiceSettings(defaults, OnLost.THROW, 63, Duration.ofMillis(10)),
				List.of(new FailingRelease(repeated)), Member.of("test"), this.clock, List.of(this.events::add),
				ReleaseTiming.IMMEDIATE);
	}

	/** The first release gets no response, the second one as a test wants. */
	private final class FailingRelease extends DelegatingEngine {

		private final Supplier<ReleaseOutcome> repeated;

		private final AtomicInteger releases = new AtomicInteger();

		FailingRelease(Supplier<ReleaseOutcome> repeated) {
			super(LateReleaseTests.this.store);
			this.repeated = repeated;
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			int number = this.releases.incrementAndGet();
			if (number == 1) {
				throw new LockEngineException(claim.key(), "no response", null);
			}
			ReleaseOutcome outcome = super.release(claim);
			if (number == 2) {
				outcome = this.repeated.get();
			}
			LateReleaseTests.this.responses.incrementAndGet();
			return outcome;
		}

	}

}
