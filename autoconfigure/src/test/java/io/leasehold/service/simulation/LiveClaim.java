package io.leasehold.service.simulation;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

import io.leasehold.engine.Claim;
import io.leasehold.engine.Signal;

/**
 * What a process knows of a claim.
 */
final class LiveClaim {

	final Claim claim;

	private final int number;

	/** Numbers of its grants at the store, which the process may not know yet. */
	final Set<Long> granted = new LinkedHashSet<>();

	/** Grant number, zero if there is none. */
	long grant;

	/** When half of the validity that the store granted has passed. */
	long half;

	/** End of the validity as of the last response. */
	long validUntil;

	/** Whether the grant was not valid any more when its response arrived. */
	boolean grantedLate;

	/** Whether the store reported that the claim has no grant. */
	boolean lost;

	boolean acquiring;

	/** Whether a response has settled the claim, so that no request may follow. */
	boolean settled;

	/** Whether the store confirmed the release. */
	boolean ended;

	/** Whether something of the claim may be in the store. */
	boolean mayRemain;

	boolean releaseFailed;

	long busySince;

	/** Number of the store's last grant when it answered busy. */
	long seen;

	Consumer<Signal> listener;

	Signal early;

	boolean over;

	LiveClaim(Claim claim, int number) {
		this.claim = claim;
		this.number = number;
		this.busySince = claim.since();
		this.validUntil = claim.since();
	}

	/** A response that comes after the lease extends nothing. */
	void extend(long until, long now) {
		this.validUntil = (this.validUntil - now > 0) ? Math.max(this.validUntil, until) : this.validUntil;
	}

	@Override
	public String toString() {
		return "'%s' %s#%d".formatted(this.claim.key(), (this.claim.access().code()), this.number);
	}

}
