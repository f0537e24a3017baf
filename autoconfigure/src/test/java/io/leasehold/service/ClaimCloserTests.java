package io.leasehold.service;

import java.time.Duration;
import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.Member;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.DelegatingEngine;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClaimCloser}.
 */
class ClaimCloserTests {

	private final ManualClock clock = new ManualClock();

	private final SteppedThreads threads = new SteppedThreads("stepped", this.clock);

	private final LocalLockEngine local = new LocalLockEngine(this.clock);

	/** Whether the store rejects all writes for now. */
	private boolean full = true;

	private final ClaimCloser closer = new ClaimCloser(new RejectingEngine(), this.clock, this.threads,
			new StoreOutage(this.local, this.clock, (survey) -> {
			}, new Events(List.of(), this.threads), () -> {
			}), () -> {
			});

	/** Such as keys that have data of others, or for which a permission is missing. */
	@Test
	void keysThatCannotBeReleasedDoNotDelayOthers() {
		for (int i = 0; i < 50; i++) {
			close("denied:" + i);
		}
		close("order");
		this.threads.advance(Duration.ofSeconds(5));
		assertThat(this.local.inspect(new LockKey("order"))).hasSize(1);
		this.full = false;
		this.threads.advance(Duration.ofSeconds(2));
		assertThat(this.local.inspect(new LockKey("order"))).isEmpty();
	}

	private void close(String key) {
		Claim claim = new Claim(new LockKey(key), Member.of("test").newOwner(), Duration.ofMinutes(10), Duration.ZERO,
				false, this.clock.nanoTime());
		this.local.tryAcquire(claim);
		this.closer.close(claim);
		this.threads.run();
	}

	private final class RejectingEngine extends DelegatingEngine {

		RejectingEngine() {
			super(ClaimCloserTests.this.local);
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			if (claim.key().value().startsWith("denied")) {
				throw new LockEngineException(claim.key(), "denied", null, false, "WRONGTYPE");
			}
			if (ClaimCloserTests.this.full) {
				throw new LockEngineException(claim.key(), "full", null, true, "MISCONF");
			}
			return super.release(claim);
		}

	}

}
