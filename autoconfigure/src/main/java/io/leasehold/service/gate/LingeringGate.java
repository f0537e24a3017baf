package io.leasehold.service.gate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Owner;
import org.jspecify.annotations.Nullable;

/**
 * Gate of a key whose grant may linger. After its last hold was closed, the grant stays
 * <em>parked</em>, and the next caller enters it without a request. Parking only delays
 * the release of a grant: until another process wants the key, at most until half of its
 * first validity has passed. A grant is parked only if no renewal of it was ever sent, so
 * the store never keeps a parked grant for longer than its first lease.
 */
final class LingeringGate extends KeyGate {

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

	LingeringGate(LockKey key, GateRules rules) {
		super(key, rules);
	}

	@Override
	StoreClaim newClaim(Waiter waiter, long since) {
		StoreClaim created = this.rules.newLingeringClaim(waiter, since);
		this.asking = null;
		if (!isHeld()) {
			this.lingering = null;
		}
		if (created.claim().lingers()) {
			this.asking = created.claim().owner();
			this.clockOffset = this.rules.clock.wallClockOffset(now());
		}
		return created;
	}

	@Override
	public synchronized Actions responded(StoreClaim claim, Claim requested, long sent, AcquisitionOutcome response) {
		if (response instanceof AcquisitionOutcome.Busy && requested.lingers() && !claim.hasResponse()) {
			this.rules.affinity.conflicted(this.key, requested.lease(), now());
		}
		return super.responded(claim, requested, sent, response);
	}

	@Override
	boolean received(Grant grant, AcquisitionOutcome.Granted response) {
		boolean lingers = response.reserved() > 0 && this.asking == grant.claim.owner();
		this.asking = null;
		this.lingering = lingers ? grant : null;
		this.lastPass = FencingTokens.lastPass(response.reserved());
		this.returnPlanned = false;
		// The store does not know that it does not linger, and lets others recall in vain
		return response.reserved() > 0 && !lingers;
	}

	@Override
	boolean enterParked(Waiter waiter) {
		Hold former = this.parked;
		long now = now();
		if (former == null || head() != null || !GateRules.isPlain(waiter.options()) || !mayLinger(former, now)) {
			return false;
		}
		this.parked = null;
		Hold hold = next(former, waiter, now);
		add(hold);
		hold.enter();
		waiter.succeed(hold);
		return true;
	}

	/** A parked grant is released for the first waiter, if that has not begun before. */
	@Override
	boolean hasTurn(Waiter waiter) {
		boolean returns = this.parked != null || this.returning;
		return (returns && head() == null) || super.hasTurn(waiter);
	}

	@Override
	public synchronized Actions released(Duration standBack) {
		this.returning = false;
		return super.released(standBack);
	}

	@Override
	@Nullable Actions stay(Hold closed) {
		Waiter next = head();
		// Not before the monitor was entered: the planned return may have run since
		long now = now();
		if (!mayLinger(closed, now)) {
			return null;
		}
		if (next != null) {
			return GateRules.isPlain(next.options()) ? pass(closed, next, now) : null;
		}
		if (!this.rules.lingers(closed.options)) {
			return null;
		}
		remove(closed);
		this.parked = closed;
		boolean planned = this.returnPlanned;
		this.returnPlanned = true;
		return planned ? Action.NONE : Action.PARKED;
	}

	private Actions pass(Hold closed, Waiter next, long now) {
		remove(closed);
		give(next, next(closed, next, now));
		return waking(next);
	}

	/** Return the next hold of a grant. Its first renewal is counted from its start. */
	private Hold next(Hold former, Waiter waiter, long now) {
		Hold hold = new Hold(former.grant, waiter, former, false, now);
		hold.renewed(now);
		return hold;
	}

	private boolean mayLinger(Hold former, long now) {
		Grant grant = former.grant;
		return grant == this.lingering && former.pass < this.lastPass && grant.mayLingerFor(now) > 0
				&& grant.toleratesSuspension(Math.abs(this.rules.clock.wallClockOffset(now) - this.clockOffset))
				&& this.rules.receivesRecalls(grant.claim);
	}

	@Override
	public synchronized @Nullable Hold recalled(Claim claim) {
		Grant wanted = this.lingering;
		boolean early = this.asking == claim.owner();
		if (!early && (wanted == null || wanted.claim.owner() != claim.owner())) {
			return null;
		}
		this.asking = null;
		this.lingering = null;
		this.rules.affinity.conflicted(this.key, claim.lease(), now());
		return (wanted != null && this.parked == null) ? holdOf(wanted) : null;
	}

	@Override
	public synchronized @Nullable Hold renewing(Grant renewed) {
		if (this.lingering == renewed && this.parked == null) {
			this.lingering = null;
		}
		return super.renewing(renewed);
	}

	/** A grant that is no longer in force does not linger either. */
	@Override
	public synchronized @Nullable Loss lose(Hold held, LossCause cause) {
		if (cause == LossCause.NOT_OWNER && this.lingering == held.grant) {
			this.lingering = null;
		}
		return super.lose(held, cause);
	}

	@Override
	public synchronized List<Hold> lastHolds() {
		List<Hold> all = new ArrayList<>(holds());
		if (this.parked != null) {
			all.add(this.parked);
		}
		return all;
	}

	@Override
	public synchronized @Nullable Hold parked() {
		return this.parked;
	}

	@Override
	public synchronized @Nullable Hold unpark(@Nullable Grant only) {
		Hold taken = this.parked;
		if (taken == null || only != null && taken.grant != only) {
			return null;
		}
		if (only != null && only == this.lingering) {
			this.rules.affinity.unwanted(this.key);
		}
		this.parked = null;
		this.lingering = null;
		this.returning = true;
		taken.grant.end();
		return taken;
	}

	@Override
	public synchronized void describe(Survey survey) {
		super.describe(survey);
		Hold unused = this.parked;
		if (unused != null) {
			survey.parked(this.rules.engine(), unused, now());
		}
	}

}
