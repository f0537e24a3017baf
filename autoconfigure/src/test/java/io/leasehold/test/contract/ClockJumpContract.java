package io.leasehold.test.contract;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * The contract of an engine whose processes have wall clocks that differ and jump. Needs
 * libfaketime.
 */
@Timeout(600)
public abstract class ClockJumpContract {

	private static final Duration LEASE = Duration.ofSeconds(5);

	/** More than half of the lease, so that two waits outlast it. */
	private static final Duration WAIT_TIME = Duration.ofMillis(2700);

	/**
	 * Return where another process finds the store.
	 * @return an address whose opener is on the class path of the tests
	 */
	protected abstract EngineAddress address();

	/**
	 * The wall clock of one process is five minutes ahead of another's and then jumps by
	 * an hour in both directions: its lock stays valid, its wait times are correct, and
	 * fencing tokens continue to grow.
	 */
	@Fault({ 5, 42 })
	@Test
	void wallClockOfAProcessDoesNotMatter() {
		String namespace = "clocks-" + UUID.randomUUID();
		try (FakeClock clock = new FakeClock(Duration.ofMinutes(5));
				LockProcess jumping = LockProcess.start(address(), namespace, clock.environment());
				LockProcess steady = LockProcess.start(address(), namespace)) {
			long first = jumping.acquire("a", LEASE);
			steady.acquire("b", LEASE);
			for (Duration ahead : List.of(Duration.ofHours(1), Duration.ofHours(-1))) {
				Pace requested = Pace.begin();
				jumping.beginToWait("b", WAIT_TIME);
				clock.set(ahead);
				assertThat(jumping.endOfWait()).isEqualTo("LockBusyException");
				assertThat(requested.elapsed()).isBetween(WAIT_TIME,
						WAIT_TIME.plus(requested.slack(EngineContract.SLACK)));
				assertThat(jumping.wallClock() - System.currentTimeMillis()).isCloseTo(ahead.toMillis(),
						within(60_000L));
				assertThat(jumping.isValid("a")).isTrue();
				steady.beginToWait("a", Duration.ZERO);
				assertThat(steady.endOfWait()).isEqualTo("LockBusyException");
			}
			assertThat(jumping.release("a")).isTrue();
			assertThat(steady.release("b")).isTrue();
			long second = steady.acquire("a", LEASE);
			assertThat(steady.release("a")).isTrue();
			assertThat(second).isGreaterThan(first);
			assertThat(jumping.acquire("a", LEASE)).isGreaterThan(second);
		}
	}

}
