package io.leasehold.benchmark;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.leasehold.benchmark.contender.Contenders;
import io.leasehold.benchmark.report.Yardstick;
import io.leasehold.benchmark.worker.Handoff;
import io.leasehold.benchmark.worker.Holding;
import io.leasehold.benchmark.worker.Turns;
import io.leasehold.benchmark.worker.Weighed;
import io.leasehold.benchmark.worker.Work;

/**
 * All scenarios.
 */
final class Scenarios {

	private static final int KEYS = 1000;

	/** Time for which the holder of a key with many waiters keeps it. */
	private static final Duration HOLD = Duration.ofMillis(2);

	/** Contenders that are too slow to serve a queue of a thousand threads. */
	private static final Set<String> SLOW = Set.of("redisson-fair");

	/** Enough locks to be renewed in batches. */
	private static final int HELD = 10_000;

	/** Length of holding as a multiple of other rounds, so that renewals occur. */
	private static final int HELD_ROUNDS = 32;

	/** Contenders that renew held locks, and the floor, which does not. */
	private static final Set<String> RENEWED = Set.of(Contenders.BARE, Contenders.LEASEHOLD, "redisson-watchdog");

	private Scenarios() {
	}

	/**
	 * Return all of them.
	 * @param hold how long a lock is held before it is handed to another JVM
	 */
	static List<Scenario> all(Duration hold) {
		return List.of(alone(1), alone(16), hotKey(1, 32), hotKey(4, 32), handoff(hold), waiters(10), waiters(100),
				waiters(1000), waiters(10_000), keys(1), keys(100), keys(10_000), keys(100_000), once(), held());
	}

	private static Scenario alone(int threads) {
		return new Scenario("uncontended-" + threads, "Uncontended, threads: " + threads, Contenders.BARE,
				Yardstick.TIME_PER_TURN, 1,
				(board, time) -> new Turns(List.of(threads), Work.alone(KEYS), Duration.ZERO, time),
				Predicate.not(Contenders.QUEUE::equals));
	}

	private static Scenario hotKey(int workers, int threads) {
		return new Scenario("hot-key-" + workers, "One key, JVMs: %d, threads of all: %d".formatted(workers, threads),
				Contenders.QUEUE, Yardstick.TIME_PER_TURN, workers, (board, time) -> new Turns(shares(threads, workers),
						Work.together(board, Duration.ZERO), time.dividedBy(4), time),
				Predicate.not(Contenders.BARE::equals));
	}

	private static Scenario handoff(Duration hold) {
		boolean usual = hold.equals(Handoff.SETTLED);
		return new Scenario(usual ? "handoff" : "handoff-" + hold.toMillis(),
				"From release in one JVM to the lock in another, held for %d ms".formatted(hold.toMillis()),
				Contenders.QUEUE, Yardstick.LATENCY, 2, (board, time) -> new Handoff(board, time, hold),
				Predicate.not(Contenders.BARE::equals));
	}

	private static Scenario waiters(int threads) {
		return new Scenario("waiters-" + threads, "One key, held for 2 ms, threads of 4 JVMs: %,d".formatted(threads),
				Contenders.QUEUE, Yardstick.TIME_PER_TURN, 4,
				(board, time) -> new Turns(shares(threads, 4), Work.together(board, HOLD), time, time),
				(name) -> !name.equals(Contenders.BARE) && (threads < KEYS || !SLOW.contains(name)));
	}

	private static Scenario keys(int keys) {
		return new Scenario("keys-" + keys, "One thread, keys that it takes in turn: %,d".formatted(keys),
				Contenders.BARE, Yardstick.TIME_PER_TURN, 1,
				(board, time) -> new Weighed(new Turns(List.of(1), Work.alone(keys), Duration.ZERO, time)),
				Predicate.not(Contenders.QUEUE::equals));
	}

	private static Scenario once() {
		return new Scenario("keys-once", "One thread, each key used once", Contenders.BARE, Yardstick.TIME_PER_TURN, 1,
				(board, time) -> new Turns(List.of(1), Work.once(), Duration.ZERO, time),
				Predicate.not(Contenders.QUEUE::equals));
	}

	private static Scenario held() {
		return new Scenario("held", "Locks held and renewed: %,d".formatted(HELD), Contenders.BARE,
				Yardstick.HEAP_PER_LOCK, 1, (board, time) -> new Holding(HELD, time.multipliedBy(HELD_ROUNDS)),
				RENEWED::contains);
	}

	private static List<Integer> shares(int threads, int workers) {
		return IntStream.range(0, workers)
			.map((worker) -> threads / workers + ((worker < threads % workers) ? 1 : 0))
			.boxed()
			.toList();
	}

}
