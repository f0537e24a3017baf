package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Claims with an acquisition whose outcome is unknown: the database may execute it after
 * its caller gave up, until a moment of the database's clock. Thread-safe.
 */
final class LateRequests {

	/** As long as the service tries to release a claim after its lease. */
	private static final Duration REMEMBERED = Duration.ofMinutes(1);

	private static final int FEW = 64;

	private final Map<String, Late> claims = new ConcurrentHashMap<>();

	/**
	 * Add a claim, or a later request of the same claim.
	 * @param until after which moment none of its requests can take effect
	 */
	void add(Claim claim, long until) {
		if (this.claims.size() >= FEW) {
			this.claims.values().removeIf(Late::isForgotten);
		}
		long forgotten = System.nanoTime() + claim.lease().plus(REMEMBERED).toNanos();
		this.claims.merge(claim.owner().token(), new Late(until, forgotten, false),
				(one, other) -> new Late(Math.max(one.until(), other.until()), forgotten, one.released()));
	}

	/**
	 * Return after which moment no request of a claim can take effect, or {@code null} if
	 * all were answered.
	 */
	@Nullable Long until(Claim claim) {
		Late late = this.claims.isEmpty() ? null : this.claims.get(claim.owner().token());
		return (late != null) ? late.until() : null;
	}

	/** Record that the grant of a claim was released before its requests were over. */
	void released(Claim claim) {
		this.claims.computeIfPresent(claim.owner().token(),
				(token, late) -> new Late(late.until(), late.forgotten(), true));
	}

	/** Return whether the grant of a claim was released before its requests were over. */
	boolean isReleased(Claim claim) {
		Late late = this.claims.get(claim.owner().token());
		return late != null && late.released();
	}

	void remove(Claim claim) {
		this.claims.remove(claim.owner().token());
	}

	private record Late(long until, long forgotten, boolean released) {

		boolean isForgotten() {
			return System.nanoTime() - this.forgotten > 0;
		}

	}

}
