package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.engine.support.Jitter;

/**
 * Requests for a lock at all masters, in rounds: several claims may split the votes, so
 * that none has a majority. Thread-safe.
 */
record Acquisition(Masters masters, RedlockSettings settings, Ending ending, MonotonicClock clock) {

	/** Rounds of one request. The pauses between them double. */
	private static final int MOST_ROUNDS = 10;

	private static final long SHORTEST_ROUND = Duration.ofMillis(1).toNanos();

	/** Delay of a poll after a lease's end, so that it does not arrive just before. */
	private static final Duration AFTER_EXPIRY = Duration.ofMillis(5);

	/**
	 * Request the lock.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 * @throws RedisFailure if no majority responded
	 */
	AcquisitionOutcome acquire(LiveClaim live, long deadline) {
		for (int round = 1;; round++) {
			long began = System.nanoTime();
			long sent = this.clock.nanoTime();
			long voting = live.nextRound();
			Ballot<Vote> ballot = vote(live, voting);
			Tally tally = count(ballot, deadline);
			long number = number(live, tally, deadline);
			if (number > 0) {
				live.granted(voting);
				return new AcquisitionOutcome.Granted(number, MonotonicClock.validUntil(sent,
						this.settings.lease(live.claim().lease(), live.claim().lockDelay())));
			}
			this.ending.withdraw(live, ballot, deadline);
			this.masters.requireMajority(ballot);
			if (tally.isBusy(this.masters.size(), this.masters.majority()) || round == MOST_ROUNDS) {
				return new AcquisitionOutcome.Busy(retryIn(live, tally));
			}
			long pause = pause(round, Math.max(SHORTEST_ROUND, System.nanoTime() - began));
			if (pause >= Deadlines.left(deadline)) {
				return new AcquisitionOutcome.Busy(Duration.ofNanos(pause));
			}
			LockSupport.parkNanos(pause);
		}
	}

	/** Leave half of the time to write a number back. */
	private Tally count(Ballot<Vote> ballot, long deadline) {
		int majority = this.masters.majority();
		ballot.await(deadline - Deadlines.left(deadline) / 2);
		Tally tally = Tally.of(ballot.responses(), majority);
		return (tally.granted() >= majority) ? tally : Tally.of(ballot.await(deadline).responses(), majority);
	}

	private Ballot<Vote> vote(LiveClaim live, long round) {
		return this.masters.ask((master) -> request(live, master, round), this::isDecided);
	}

	private CompletableFuture<Vote> request(LiveClaim live, Master master, long round) {
		return master.send((line) -> request(live, master, line, round)).thenApply((response) -> {
			master.checkCounts();
			return Vote.parse(response);
		});
	}

	private CompletableFuture<List<Object>> request(LiveClaim live, Master master, Line line, long round) {
		return Master.run(line, Scripts.ACQUIRE, live.keys(), arguments(live, master, round),
				(request) -> live.send(master, line, round, request));
	}

	private String[] arguments(LiveClaim live, Master master, long round) {
		Claim claim = live.claim();
		return new String[] { live.token(), claim.access().code(),
				millis(this.settings.lease(claim.lease(), claim.lockDelay())), millis(claim.lockDelay()),
				millis(claim.minHold()), millis(this.settings.fencingRetention()), Long.toString(master.started()),
				claim.waits() ? millis(this.settings.waitLifetime()) : "0", claim.owner().memberId(),
				Long.toString(round) };
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

	/** Masters that respond in time are awaited until a majority agrees on a number. */
	private boolean isDecided(Ballot<Vote> ballot) {
		int majority = this.masters.majority();
		Tally tally = Tally.of(ballot.responses(), majority);
		return tally.agreedNumber() > 0 || tally.strongestRival() >= majority
				|| (ballot.isComplete() && (tally.granted() >= majority || tally.granted() + ballot.open() < majority));
	}

	/**
	 * Return the number of a grant, which a majority knows: one that it has given, or the
	 * greatest, written back to a majority. So the next majority contains a master that
	 * gives a greater one. Zero if there is no grant, or no longer, or if another reader
	 * may have this number: the next round brings another one.
	 */
	private long number(LiveClaim live, Tally tally, long deadline) {
		int majority = this.masters.majority();
		if (tally.granted() < majority || tally.agreedNumber() > 0) {
			return tally.agreedNumber();
		}
		String number = Long.toString(tally.greatestNumber());
		Ballot<Long> written = this.masters
			.<Long>ask((master) -> master.send(Scripts.NUMBER, live.keys(), live.token(), number,
					millis(this.settings.fencingRetention())), (ballot) -> written(ballot) >= majority)
			.await(deadline);
		return (written(this.masters.requireMajority(written)) >= majority) ? tally.greatestNumber() : 0;
	}

	private static long written(Ballot<Long> ballot) {
		return ballot.responses().stream().filter((response) -> response == 1).count();
	}

	private static long pause(int round, long tookRound) {
		return ThreadLocalRandom.current().nextLong(tookRound << round);
	}

	/** Return the time until the next poll: growing, but at most the poll interval. */
	private Duration retryIn(LiveClaim live, Tally tally) {
		Duration interval = this.settings.pollInterval();
		int poll = Math.min(live.poll(), 3);
		Duration pause = Jitter.shorten(interval.dividedBy(8L >> poll), Jitter.OF_BACKOFF);
		if (tally.busyFor() >= interval.toMillis()) {
			return pause;
		}
		Duration expiry = Duration.ofMillis(Math.max(0, tally.busyFor())).plus(AFTER_EXPIRY);
		return (expiry.compareTo(pause) < 0) ? expiry : pause;
	}

}
