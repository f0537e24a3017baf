package io.leasehold.engine.redlock;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.engine.Claim;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.support.Deadlines;
import org.jspecify.annotations.Nullable;

/**
 * Claims of this process that have not ended. Thread-safe.
 */
final class LiveClaims {

	private final Map<String, LiveClaim> claims = new ConcurrentHashMap<>();

	private final RedlockSettings settings;

	private volatile long nextSweep;

	LiveClaims(RedlockSettings settings) {
		this.settings = settings;
		this.nextSweep = Deadlines.after(settings.markerLifetime());
	}

	/** Return the state of a claim that is requested, a new one for a new claim. */
	LiveClaim requesting(Claim claim) {
		return this.claims.computeIfAbsent(claim.owner().token(),
				(token) -> new LiveClaim(claim, this.settings.namespace(), false));
	}

	/** Return the state of a claim, or {@code null} if it has ended. */
	@Nullable LiveClaim find(Claim claim) {
		return this.claims.get(claim.owner().token());
	}

	/**
	 * Record that a grant is renewed.
	 * @return the round in which it was granted, or -1 if its claim has ended
	 */
	long renewing(Renewal renewal) {
		LiveClaim live = find(renewal.claim());
		if (live == null) {
			return -1;
		}
		live.renewing(renewal.lease());
		return live.grantRound();
	}

	/** Return the state of a claim that ends, which may have ended before. */
	LiveClaim ending(Claim claim) {
		removeExpired();
		return this.claims.computeIfAbsent(claim.owner().token(),
				(token) -> new LiveClaim(claim, this.settings.namespace(), true));
	}

	void remove(LiveClaim live) {
		this.claims.remove(live.token());
	}

	/**
	 * Remove claims whose grants and late requests have certainly expired, because the
	 * service does not repeat a release without a response forever.
	 */
	private void removeExpired() {
		if (Deadlines.left(this.nextSweep) <= 0) {
			this.nextSweep = Deadlines.after(this.settings.markerLifetime());
			this.claims.values().removeIf(LiveClaim::isOver);
		}
	}

	int size() {
		return this.claims.size();
	}

}
