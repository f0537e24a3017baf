package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.RedisFailure;

/**
 * Ends of claims: at all masters that may know them, also where no response came.
 * Thread-safe.
 */
record Ending(Masters masters, RedlockSettings settings) {

	private static final String RELEASE = "release";

	private static final String WITHDRAW = "withdraw";

	private static final List<Object> NOT_HELD = List.of(0L, 0L);

	/** Longer than a process takes from the message of a release to its request. */
	private static final long NOTIFIED_MILLIS = 25;

	/**
	 * Remove the grants of a claim that has no majority. Its marks as a waiting claim
	 * stay.
	 * @param votes the votes; masters that refused the lock have no grant
	 */
	void withdraw(LiveClaim live, Ballot<Vote> votes, long deadline) {
		long ended = live.nextRound();
		this.masters.ask((master) -> {
			Vote vote = votes.response(master);
			return (vote != null && !vote.granted() || !live.mayBeKnownTo(master))
					? CompletableFuture.completedFuture(NOT_HELD) : withdraw(live, master, ended);
		}, Ballot::isComplete).await(deadline);
	}

	private CompletableFuture<List<Object>> withdraw(LiveClaim live, Master master, long ended) {
		String[] arguments = arguments(live, WITHDRAW, Duration.ZERO, ended);
		return master.sendEnd((line) -> Master.run(line, Scripts.RELEASE, live.keys(), arguments,
				(request) -> live.sendAfter(ended, request, NOT_HELD)), live.lifetime());
	}

	/**
	 * End a claim.
	 * @throws RedisFailure if no majority responded
	 */
	ReleaseOutcome release(LiveClaim live, long deadline) {
		long ended = live.nextRound();
		live.end(this.settings.markerLifetime());
		Ballot<List<Object>> ballot = this.masters.requireMajority(
				this.masters.ask((master) -> end(live, master, ended), this.masters::hasResponses).await(deadline));
		long held = ballot.responses().stream().filter((response) -> (Long) response.get(0) == 1).count();
		if (held >= this.masters.majority()) {
			return new ReleaseOutcome.Released(standBack(ballot));
		}
		boolean certain = held + this.masters.size() - ballot.size() < this.masters.majority();
		return certain ? new ReleaseOutcome.NotOwner() : ReleaseOutcome.RELEASED;
	}

	/**
	 * Return how long to leave the lock to another process: while it is known to wait,
	 * but at most until its request after the message of this release.
	 */
	private Duration standBack(Ballot<List<Object>> ballot) {
		long waits = ballot.responses().stream().mapToLong((response) -> (Long) response.get(1)).max().orElse(0);
		return Duration.ofMillis(Math.min(waits, NOTIFIED_MILLIS));
	}

	private CompletableFuture<List<Object>> end(LiveClaim live, Master master, long ended) {
		if (!live.mayBeKnownTo(master)) {
			return CompletableFuture.completedFuture(NOT_HELD);
		}
		return master.sendEnd((line) -> end(live, master, line, ended), live.lifetime());
	}

	private CompletableFuture<List<Object>> end(LiveClaim live, Master master, Line line, long ended) {
		// A request of a broken line may still be executed after this one
		Duration marker = live.mayArriveLate(master, line) ? this.settings.markerLifetime() : Duration.ZERO;
		return Master.run(line, Scripts.RELEASE, live.keys(), arguments(live, RELEASE, marker, ended),
				(request) -> live.sendAfter(ended, request, NOT_HELD));
	}

	private String[] arguments(LiveClaim live, String kind, Duration marker, long ended) {
		return new String[] { live.token(), kind, Long.toString(marker.toMillis()), live.claim().owner().memberId(),
				LockNames.releases(this.settings.namespace()), Long.toString(ended) };
	}

}
