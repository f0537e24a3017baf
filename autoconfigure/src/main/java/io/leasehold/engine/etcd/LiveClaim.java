package io.leasehold.engine.etcd;

import java.time.Duration;
import java.time.Instant;

import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;
import io.leasehold.engine.support.SessionClaim;
import org.jspecify.annotations.Nullable;

/**
 * State of a claim in this process. Thread-safe; never blocks.
 */
final class LiveClaim extends SessionClaim {

	private final String prefix;

	private final String key;

	private final Turn turn;

	private @Nullable Session session;

	/** Revision that created its key, zero if the key is not known to exist. */
	private long number;

	private @Nullable OwnLease ownLease;

	/** Whether a request without a response may still create its key. */
	private boolean lacksResponse;

	/** Start of the minimum hold. */
	private long grantSent;

	/** Time of the grant, by the wall clock of this process. */
	private Instant since = Instant.EPOCH;

	/** Time that its key shows, unless it has a lease of its own. */
	private Instant shown = Instant.EPOCH;

	LiveClaim(Claim claim, String id, String prefix, Turn turn) {
		super(claim);
		this.prefix = prefix;
		this.key = EtcdKeys.claim(prefix, id, claim.access());
		this.turn = turn;
	}

	/** Return the beginning of the keys of its lock. */
	String prefix() {
		return this.prefix;
	}

	String key() {
		return this.key;
	}

	/** Return the notification of its turn, used while it waits. */
	Turn turn() {
		return this.turn;
	}

	boolean isExclusive() {
		return claim().access().kind() == Access.Kind.EXCLUSIVE;
	}

	/** Begin to place its key on a session. Return whether it has ended meanwhile. */
	synchronized boolean begin(Session in) {
		this.session = in;
		return isOver();
	}

	/** Return the session of its key, or {@code null} before the first request. */
	synchronized @Nullable Session session() {
		return this.session;
	}

	synchronized void doubt() {
		this.lacksResponse = true;
	}

	/** Return whether the store may have its key. */
	synchronized boolean mayHaveKey() {
		return this.number != 0 || this.lacksResponse;
	}

	/** Return whether its key may be created late. */
	synchronized boolean mayComeLate() {
		return this.lacksResponse;
	}

	/** Record that its key exists. */
	synchronized void place(long created) {
		this.number = created;
	}

	synchronized void displace() {
		this.number = 0;
		this.ownLease = null;
		this.turn.forget();
	}

	synchronized long number() {
		return this.number;
	}

	synchronized @Nullable OwnLease ownLease() {
		return this.ownLease;
	}

	synchronized void ownLease(OwnLease lease) {
		this.ownLease = lease;
	}

	/** Ensure that its key is attached to another lease before it is granted again. */
	synchronized void replaceOwnLease() {
		OwnLease present = this.ownLease;
		if (present != null) {
			this.ownLease = new OwnLease(present.id(), Duration.ZERO, present.end(), true);
		}
	}

	/** Extend the lease, unless it was over when the request was sent. */
	@Override
	public synchronized @Nullable Long grant(long sent, Duration lease) {
		return isLeaseOver(sent) ? null : super.grant(sent, lease);
	}

	/** Record when the request was sent that is granted, unless there was a grant. */
	synchronized void beginGrant(long sent, Instant time) {
		if (!wasGranted()) {
			this.grantSent = sent;
			this.since = time;
		}
	}

	/** Return the time at which the request was sent that was granted first. */
	synchronized Instant since() {
		return this.since;
	}

	/** Record the time that its key shows. */
	synchronized void recordShown(Instant time) {
		this.shown = time;
	}

	/**
	 * Return whether it is held and its key shows a time far from that of the grant,
	 * because it has waited.
	 */
	synchronized boolean lacksTime() {
		return isHeld() && this.ownLease == null
				&& Math.abs(this.since.toEpochMilli() - this.shown.toEpochMilli()) > UNSHOWN_WAIT.toMillis();
	}

	/** Return the rest of the minimum hold, zero or less if it is over. */
	synchronized Duration heldFor(long now) {
		return wasGranted() ? Duration.ofNanos(this.grantSent + claim().minHold().toNanos() - now) : Duration.ZERO;
	}

}
