package io.leasehold.service.gate;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Owner;
import org.jspecify.annotations.Nullable;

/**
 * Strategy of a gate whose grants may linger. After its last hold was closed, a grant
 * stays <em>parked</em>, and the next caller enters it without a request. Parking only
 * delays the release of a grant: until another process wants the key, at most until half
 * of its first validity has passed. A grant is parked only if no renewal of it was ever
 * sent, so the store never keeps a parked grant for longer than its first lease. Guarded
 * by the gate's monitor.
 */
final class Linger {

	private final LockKey key;

	private final GateRules rules;

	/** Owner of the claim that asks for a lingering grant, unless it was recalled. */
	private @Nullable Owner asking;

	/** The grant that may be parked, unless it was recalled or is being renewed. */
	private @Nullable Grant lingering;

	/** Number of the last pass for which the lingering grant has a fencing token. */
	private int lastPass;

	/** Difference of the clocks before the lingering grant was requested. */
	private long clockOffset;

	/** The last hold of the lingering grant, while it has no open hold. */
	private @Nullable Hold parked;

	/** Whether the return of the lingering grant is planned. */
	private boolean returnPlanned;

	/** Whether the grant that was parked last is being released. */
	private boolean returning;

	Linger(LockKey key, GateRules rules) {
		this.key = key;
		this.rules = rules;
	}

	/** Create the claim of a waiter, which asks for a lingering grant if that pays. */
	StoreClaim newClaim(Waiter waiter, long since, boolean held) {
		StoreClaim created = this.rules.newLingeringClaim(waiter, since);
		this.asking = null;
		if (!held) {
			this.lingering = null;
		}
		if (created.claim().lingers()) {
			this.asking = created.claim().owner();
			this.clockOffset = this.rules.clock.wallClockOffset(this.rules.now());
		}
		return created;
	}

	/** Note that another process held the key when a claim asked for it. */
	void busy(Claim claim) {
		if (claim.lingers()) {
			this.rules.affinity.conflicted(this.key, claim.lease(), this.rules.now());
		}
	}

	/**
	 * Process a new grant before it is handed to a waiter.
	 * @return whether it must be renewed at once
	 */
	boolean granted(Grant grant, AcquisitionOutcome.Granted response) {
		boolean lingers = response.reserved() > 0 && this.asking == grant.claim.owner();
		this.asking = null;
		this.lingering = lingers ? grant : null;
		this.lastPass = FencingTokens.lastPass(response.reserved());
		this.returnPlanned = false;
		// The store does not know that it does not linger, and lets others recall in vain
		return response.reserved() > 0 && !lingers;
	}

	/** Return a hold of the parked grant for a waiter, {@code null} if it must wait. */
	@Nullable Hold enter(Waiter waiter) {
		Hold former = this.parked;
		long now = this.rules.now();
		if (former == null || !GateRules.isPlain(waiter.options()) || !lasts(former, now)) {
			return null;
		}
		this.parked = null;
		Hold hold = next(former, waiter, now);
		hold.enter();
		return hold;
	}

	/** Return whether a parked grant is or will be released for the first waiter. */
	boolean returns() {
		return this.parked != null || this.returning;
	}

	void released() {
		this.returning = false;
	}

	/**
	 * Keep the grant of a closed hold in this process.
	 * @return the waiter's hold if there is a waiter, the closed hold if it was parked,
	 * {@code null} if the grant does not linger
	 */
	@Nullable Hold keep(Hold closed, @Nullable Waiter next, Decision decision) {
		// Not before the monitor was entered: the planned return may have run since
		long now = this.rules.now();
		if (!lasts(closed, now)) {
			return null;
		}
		if (next != null) {
			return GateRules.isPlain(next.options()) ? next(closed, next, now) : null;
		}
		if (!this.rules.lingers(closed.options)) {
			return null;
		}
		this.parked = closed;
		if (!this.returnPlanned) {
			this.returnPlanned = true;
			decision.rare().parked = closed.grant;
		}
		return closed;
	}

	/** Return the next hold of a grant. Its first renewal is counted from its start. */
	private Hold next(Hold former, Waiter waiter, long now) {
		Hold hold = new Hold(former.grant, waiter, former, false, now);
		hold.renewed(now);
		return hold;
	}

	private boolean lasts(Hold former, long now) {
		Grant grant = former.grant;
		return grant == this.lingering && former.pass < this.lastPass && grant.mayLingerFor(now) > 0
				&& grant.toleratesSuspension(Math.abs(this.rules.clock.wallClockOffset(now) - this.clockOffset))
				&& this.rules.receivesRecalls(grant.claim);
	}

	/**
	 * Process the report that another process wants the key of a lingering grant, which
	 * is then neither parked nor entered again. A parked one is released.
	 * @return the grant if a hold has it, {@code null} if none has it
	 */
	@Nullable Grant recalled(Claim claim, Decision decision) {
		Grant wanted = this.lingering;
		if (this.asking != claim.owner() && (wanted == null || wanted.claim.owner() != claim.owner())) {
			return null;
		}
		this.asking = null;
		this.lingering = null;
		this.rules.affinity.conflicted(this.key, claim.lease(), this.rules.now());
		if (this.parked == null) {
			return wanted;
		}
		free(this.parked.grant, decision);
		return null;
	}

	/** Return whether a grant is parked or may be. */
	boolean lingers(Grant grant) {
		return this.lingering == grant;
	}

	/**
	 * A grant that is renewed, or kept for a moved minimum hold, lingers no longer,
	 * unless it is parked.
	 * @return whether it did
	 */
	boolean lingersNoLonger(Grant used) {
		boolean did = this.lingering == used && this.parked == null;
		if (did) {
			this.lingering = null;
		}
		return did;
	}

	/** A grant that is no longer in force does not linger either. */
	void ended(Grant lost, Decision decision) {
		if (this.lingering == lost) {
			this.lingering = null;
		}
		free(lost, decision);
	}

	/** Return the last hold of a parked grant, {@code null} if none is parked. */
	@Nullable Hold parked() {
		return this.parked;
	}

	/**
	 * End a parked grant, which must be released.
	 * @param only the grant to end, {@code null} for any
	 */
	void free(@Nullable Grant only, Decision decision) {
		Hold taken = this.parked;
		if (taken == null || only != null && taken.grant != only) {
			return;
		}
		if (only != null && only == this.lingering) {
			this.rules.affinity.unwanted(this.key);
		}
		this.parked = null;
		this.lingering = null;
		this.returning = true;
		taken.grant.end();
		decision.freed = taken;
	}

}
