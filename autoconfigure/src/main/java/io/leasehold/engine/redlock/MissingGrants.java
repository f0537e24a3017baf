package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.leasehold.engine.Claim;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.redis.connection.Line;

/**
 * Grants that a majority of the masters has, and others do not: a master was not
 * available when the lock was granted, or it has lost its data. Thread-safe.
 *
 * @param claims claims that have not ended
 * @param settings settings of the engine
 */
record MissingGrants(LiveClaims claims, RedlockSettings settings) {

	private static final CompletableFuture<Long> NOT_SENT = CompletableFuture.completedFuture(0L);

	/**
	 * Add a grant at a master that does not know it. A master that does not count yet is
	 * left out, because it may have lost the grant of another claim. The response is not
	 * awaited: without one, the next renewal finds the grant missing again.
	 * @param renewal renewal that a majority has confirmed
	 */
	void add(Renewal renewal, Master master) {
		LiveClaim live = this.claims.find(renewal.claim());
		if (live != null) {
			master.send((line) -> (master.counts() && live.isGranted()) ? add(live, renewal, master, line) : NOT_SENT);
		}
	}

	private CompletableFuture<Long> add(LiveClaim live, Renewal renewal, Master master, Line line) {
		return Master.run(line, Scripts.ADD, live.keysWithForced(), arguments(live, renewal),
				(request) -> live.send(master, line, live.grantRound(), request));
	}

	private String[] arguments(LiveClaim live, Renewal renewal) {
		Claim claim = renewal.claim();
		return new String[] { live.token(), claim.access().code(),
				millis(this.settings.lease(renewal.lease(), claim.lockDelay())), millis(claim.lockDelay()),
				millis(claim.minHold()), millis(this.settings.fencingRetention()), Long.toString(renewal.number()),
				millis(live.sinceGrant()), Long.toString(live.grantRound()) };
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

}
