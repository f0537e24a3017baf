package io.leasehold.endpoint;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.leasehold.LockKey;
import io.leasehold.engine.ManualClock;
import io.leasehold.endpoint.LocksDescriptor.Contended;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent.AcquireEnded;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockActivity}.
 */
class LockActivityTests {

	private final ManualClock clock = new ManualClock();

	private final LockActivity activity = new LockActivity(this.clock::nanoTime, true);

	@Test
	void waitsAreForgottenAfterFiveMinutes() {
		waited("order:1", AcquireOutcome.ACQUIRED, 20);
		this.clock.advance(Duration.ofMinutes(3));
		waited("order:1", AcquireOutcome.BUSY, 30);
		waited("order:2", AcquireOutcome.BUSY, 5);
		assertThat(this.activity.contended()).containsExactly(contended("order:1", 2, 50, 30),
				contended("order:2", 1, 5, 5));
		this.clock.advance(Duration.ofMinutes(2));
		assertThat(this.activity.contended()).contains(contended("order:1", 2, 50, 30));
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(this.activity.contended()).containsExactlyInAnyOrder(contended("order:1", 1, 30, 30),
				contended("order:2", 1, 5, 5));
		this.clock.advance(Duration.ofMinutes(3));
		assertThat(this.activity.contended()).isEmpty();
	}

	@Test
	void freeLocksAreNotContended() {
		waited("order:1", AcquireOutcome.UNAVAILABLE, 20);
		waited("order:1", AcquireOutcome.BYPASSED, 20);
		this.activity.onEvent(ended("order:1", AcquireOutcome.ACQUIRED, false, 20));
		assertThat(this.activity.contended()).isEmpty();
	}

	@Test
	void contentionCanBeSwitchedOff() {
		LockActivity quiet = new LockActivity(this.clock::nanoTime, false);
		quiet.onEvent(ended("order:1", AcquireOutcome.ACQUIRED, true, 20));
		assertThat(quiet.contended()).isEmpty();
		assertThat(quiet.acquired()).singleElement().extracting(LocksDescriptor.Acquired::key).isNull();
	}

	@Test
	void lastAcquisitionIsKnownForEachName() {
		waited("order:1", AcquireOutcome.ACQUIRED, 20);
		this.clock.advance(Duration.ofMinutes(1));
		waited("order:2", AcquireOutcome.ACQUIRED, 20);
		this.clock.advance(Duration.ofHours(25));
		assertThat(this.activity.acquired()).containsExactly(new LocksDescriptor.Acquired("redis", "pay",
				Duration.ofHours(25), Duration.ofHours(25), "acquired", "order:2"));
	}

	/** Another instance runs the job, or nobody. */
	@Test
	void lastCallSaysWhyALockWasNotAcquired() {
		waited("order:1", AcquireOutcome.ACQUIRED, 20);
		this.clock.advance(Duration.ofHours(25));
		waited("order:2", AcquireOutcome.BUSY, 20);
		this.activity
			.onEvent(new AcquireEnded("redis", "report", new LockKey("night"), AcquireOutcome.BUSY, false, 1, null));
		this.clock.advance(Duration.ofSeconds(3));
		this.activity.onEvent(new AcquireEnded("jdbc", "off", null, AcquireOutcome.NOT_WANTED, false, 0, null));
		assertThat(this.activity.acquired())
			.containsExactlyInAnyOrder(
					new LocksDescriptor.Acquired("redis", "report", null, Duration.ofSeconds(3), "busy", "night"),
					new LocksDescriptor.Acquired("jdbc", "off", null, Duration.ZERO, "not_wanted", null),
					new LocksDescriptor.Acquired("redis", "pay", Duration.ofHours(25).plusSeconds(3),
							Duration.ofSeconds(3), "busy", "order:2"))
			.last()
			.extracting(LocksDescriptor.Acquired::name)
			.isEqualTo("pay");
	}

	@Test
	void namesAndKeysAreBounded() {
		for (int i = 0; i < 3000; i++) {
			this.activity.onEvent(new AcquireEnded("redis", "pay" + i, new LockKey("order:" + i),
					AcquireOutcome.ACQUIRED, true, 1, null));
		}
		assertThat(this.activity.acquired()).hasSize(1000);
		assertThat(this.activity.contended()).hasSize(10)
			.allSatisfy((contended) -> assertThat(contended.waits() - contended.overcount()).isOne());
	}

	private void waited(String key, AcquireOutcome outcome, long millis) {
		this.activity.onEvent(ended(key, outcome, true, millis));
	}

	private static AcquireEnded ended(String key, AcquireOutcome outcome, boolean waited, long millis) {
		return new AcquireEnded("redis", "pay", new LockKey(key), outcome, waited, Duration.ofMillis(millis).toNanos(),
				null);
	}

	private static Contended contended(String key, long waits, long total, long longest) {
		return new Contended("redis", key, "pay", waits, 0, Duration.ofMillis(total), Duration.ofMillis(longest));
	}

}
