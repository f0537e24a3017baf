package io.leasehold.engine.etcd;

import java.time.Duration;
import java.time.Instant;

import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * State of a claim in this process, from its first request to its confirmed end.
 * Thread-safe; never blocks.
 */
final class LiveClaim {

	/** Maximum wait that its key does not show. */
	private static final Duration UNSHOWN = Duration.ofSeconds(1);

	private final Claim claim;

	private final String id;

	private final String prefix;

	private final String key;

	private final Turn turn;

	private @Nullable Session session;

	/** Revision that created its key, zero if the key is not known to exist. */
	private long number;

	private @Nullable OwnLease ownLease;

	/** Whether a request without a response may still create its key. */
	private boolean lacksResponse;

	private AcquisitionOutcome.@Nullable Contradicted contradiction;

	private boolean granted;

	private boolean over;

	private boolean ends;

	private boolean expired;

	/** Start of the minimum hold. */
	private long grantSent;

	/** Time of the grant, by the wall clock of this process. */
	private Instant since = Instant.EPOCH;

	/** Time that its key shows, unless it has a lease of its own. */
	private Instant shown = Instant.EPOCH;

	/** End of the lease, defined only if it was granted. */
	private long leaseEnd;

	/**
	 * When its key has to be removed, or closed for a minimum hold. Defined only if
	 * {@code ends} is true.
	 */
	private long keyEnd;

	private long validUntil;

	LiveClaim(Claim claim, String id, String prefix, Turn turn) {
		this.claim = claim;
		this.id = id;
		this.prefix = prefix;
		this.key = prefix + ClaimName.text(id, claim.access());
		this.turn = turn;
	}

	Claim claim() {
		return this.claim;
	}

	/** Return the id in its key, which no other claim ever has. */
	String id() {
		return this.id;
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
		return this.claim.access().kind() == Access.Kind.EXCLUSIVE;
	}

	/** Begin to place its key on a session. Return whether it has ended meanwhile. */
	synchronized boolean begin(Session in) {
		this.session = in;
		return this.over;
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

	/**
	 * Extend the lease, counted from a request; never shorten it. Return the end of its
	 * validity, or {@code null} if the claim has ended and its key is being removed.
	 */
	synchronized @Nullable Long grant(long sent, Duration lease) {
		if (this.over || isLeaseOver(sent)) {
			return null;
		}
		long end = sent + lease.toNanos();
		long valid = MonotonicClock.validUntil(sent, lease);
		this.leaseEnd = (!this.granted || end - this.leaseEnd > 0) ? end : this.leaseEnd;
		this.validUntil = (!this.granted || valid - this.validUntil > 0) ? valid : this.validUntil;
		this.granted = true;
		this.keyEnd = this.leaseEnd + this.claim.lockDelay().toNanos();
		this.ends = true;
		return this.validUntil;
	}

	/** Record when the request was sent that is granted, unless there was a grant. */
	synchronized void beginGrant(long sent, Instant time) {
		if (!this.granted) {
			this.grantSent = sent;
			this.since = time;
		}
	}

	/** Return the time at which the request was sent that was granted first. */
	synchronized Instant since() {
		return this.since;
	}

	/** Record the time that its key shows. */
	synchronized void show(Instant time) {
		this.shown = time;
	}

	/**
	 * Return whether it is held and its key shows a time far from that of the grant,
	 * because it has waited.
	 */
	synchronized boolean lacksTime() {
		return isHeld() && this.ownLease == null
				&& Duration.between(this.shown, this.since).abs().compareTo(UNSHOWN) > 0;
	}

	/** Return the rest of the minimum hold, zero or less if it is over. */
	synchronized Duration heldFor(long now) {
		return this.granted ? Duration.ofNanos(this.grantSent + this.claim.minHold().toNanos() - now) : Duration.ZERO;
	}

	/** Return whether a granted lease has ended; its key may stay for a lock delay. */
	synchronized boolean isLeaseOver(long now) {
		return this.granted && now - this.leaseEnd >= 0;
	}

	synchronized boolean isHeld() {
		return this.granted && !this.over;
	}

	synchronized boolean wasGranted() {
		return this.granted;
	}

	/**
	 * Record why the claim ends. Its request may be repeated until its removal has a
	 * response.
	 */
	synchronized void contradict(AcquisitionOutcome.Contradicted by) {
		this.contradiction = by;
	}

	synchronized AcquisitionOutcome.@Nullable Contradicted contradiction() {
		return this.contradiction;
	}

	/** End the claim: its only further request is the removal of its key. */
	synchronized void end(long now) {
		if (!this.over && !this.granted) {
			this.keyEnd = now + this.claim.lease().toNanos();
			this.ends = true;
		}
		this.expired |= !this.over && isLeaseOver(now);
		this.over = true;
	}

	/**
	 * End the claim if the time of its key has ended. This is one atomic step, because a
	 * response for the claim may arrive concurrently.
	 * @return whether its key has to be removed or closed
	 */
	synchronized boolean expire(long now) {
		if (!isKeyOver(now)) {
			return false;
		}
		end(now);
		return true;
	}

	/** Return whether the claim ended with its lease, not by a release. */
	synchronized boolean hasExpired() {
		return this.expired;
	}

	synchronized boolean isKeyOver(long now) {
		return this.ends && now - this.keyEnd >= 0;
	}

}
