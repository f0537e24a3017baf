package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RevocationListener;
import org.jspecify.annotations.Nullable;

/**
 * Reports of other processes about grants of this one: a grant was revoked, or another
 * process wants the key of a lingering one. Thread-safe.
 */
final class GrantReports {

	/** Number of claims from which on old ones are removed. */
	static final int FEW = 64;

	private final JdbcSettings settings;

	private final MonotonicClock clock;

	private volatile @Nullable RevocationListener listener;

	/** Claims whose grant may linger, by their marks. */
	private final Map<Long, Lingering> lingering = new ConcurrentHashMap<>();

	private volatile int many = FEW;

	GrantReports(JdbcSettings settings, MonotonicClock clock) {
		this.settings = settings;
		this.clock = clock;
	}

	void reportTo(RevocationListener listener) {
		this.listener = listener;
	}

	/**
	 * Expect recalls of a claim's grant, if it lingers, from before its request on until
	 * its lease or a {@linkplain #forget removal}.
	 */
	void expect(Claim claim) {
		if (!claim.lingers()) {
			return;
		}
		long now = this.clock.nanoTime();
		if (this.lingering.size() >= this.many) {
			this.lingering.values().removeIf((old) -> now - old.until() > 0);
			this.many = Math.max(FEW, 2 * this.lingering.size());
		}
		Duration longest = claim.lease().plus(this.settings.longestCall());
		this.lingering.put(Recall.of(claim).mark(), new Lingering(claim, now + longest.toNanos()));
	}

	/** Process the response to a claim: without a grant it cannot be recalled. */
	AcquisitionOutcome responded(Claim claim, AcquisitionOutcome outcome) {
		if (!(outcome instanceof AcquisitionOutcome.Granted)) {
			forget(claim);
		}
		return outcome;
	}

	void forget(Claim claim) {
		if (claim.lingers()) {
			this.lingering.remove(Recall.of(claim).mark());
		}
	}

	/** Return how many claims expect recalls. */
	int expected() {
		return this.lingering.size();
	}

	/** Process a payload, and return whether it is a report. */
	boolean receive(String payload) {
		RevokedGrant revoked = RevokedGrant.parse(payload);
		Recall recall = (revoked == null) ? Recall.parse(payload) : null;
		RevocationListener to = this.listener;
		if (revoked != null && to != null) {
			to.revoked(revoked.number(),
					(claim) -> RowId.of(this.settings.namespace(), claim.key()).toString().equals(revoked.row()));
		}
		Lingering wanted = (recall != null) ? this.lingering.get(recall.mark()) : null;
		if (wanted != null && to != null) {
			to.recalled(wanted.claim());
		}
		return revoked != null || recall != null;
	}

	private record Lingering(Claim claim, long until) {
	}

}
