package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * Claims whose last response is missing or a refusal. The database may execute a request
 * of unknown outcome after its caller has timed out, until a given time of the database's
 * clock. Thread-safe.
 */
final class LateRequests {

	/** For a claim of which no request has changed anything. */
	private static final long NOTHING = Long.MIN_VALUE;

	/** How long the service tries to release a claim after its lease. */
	static final Duration REMEMBERED = Duration.ofMinutes(1);

	/** Number of claims from which on old ones are removed. */
	static final int FEW = 64;

	private final Map<String, Late> claims = new ConcurrentHashMap<>();

	private final MonotonicClock clock;

	LateRequests(MonotonicClock clock) {
		this.clock = clock;
	}

	/**
	 * Add a claim, or a later request of the same claim.
	 * @param until time after which none of its requests can take effect
	 */
	void add(Claim claim, long until) {
		if (this.claims.size() >= FEW) {
			this.claims.values().removeIf((late) -> this.clock.nanoTime() - late.forgotten() > 0);
		}
		long forgotten = this.clock.nanoTime() + claim.lease().plus(REMEMBERED).toNanos();
		this.claims.merge(claim.owner().token(), new Late(until, forgotten),
				(one, other) -> new Late(Math.max(one.until(), other.until()), forgotten));
	}

	/** Add a claim with a request that certainly changed nothing, or was not sent. */
	void addRefused(Claim claim) {
		add(claim, NOTHING);
	}

	/** Record that the database responded to a request of a claim. */
	void responded(Claim claim) {
		if (areRefused(claim)) {
			remove(claim);
		}
	}

	/** Return whether all requests of a claim have certainly changed nothing. */
	boolean areRefused(Claim claim) {
		Late late = find(claim);
		return late != null && late.until() == NOTHING;
	}

	/**
	 * Return the time after which no request of a claim can take effect, or {@code null}
	 * if the outcomes of all are known.
	 */
	@Nullable Long until(Claim claim) {
		Late late = find(claim);
		return (late != null && late.until() != NOTHING) ? late.until() : null;
	}

	void remove(Claim claim) {
		if (!this.claims.isEmpty()) {
			this.claims.remove(claim.owner().token());
		}
	}

	private @Nullable Late find(Claim claim) {
		return this.claims.isEmpty() ? null : this.claims.get(claim.owner().token());
	}

	private record Late(long until, long forgotten) {

	}

}
