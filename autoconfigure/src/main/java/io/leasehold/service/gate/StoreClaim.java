package io.leasehold.service.gate;

import java.time.Duration;
import java.util.random.RandomGenerator;

import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.support.Jitter;
import org.jspecify.annotations.Nullable;

/**
 * Claim of a gate at the store, from its first request until it is granted or given up.
 * At most one request is in flight. A claim that was granted or contradicted, or that
 * does not wait and found the key busy, is never requested again: messages about it may
 * still arrive, and must not be taken for those of a later claim. Guarded by the gate's
 * monitor.
 */
public final class StoreClaim {

	/** A store that has not responded for this long hangs. */
	private static final long SILENCE = 100_000_000;

	private static final long LEAST_BACKOFF = 20_000_000;

	private static final long MOST_BACKOFF = 1_000_000_000;

	private static final long LEAST_RECALL = 1_000_000;

	/** How long a caller with zero wait time polls for the release of a parked grant. */
	private static final long MOST_RECALL = 100_000_000;

	/** Phase of the claim's requests. */
	private enum Phase {

		/** No request is in flight. */
		IDLE,

		/** A request is in flight. */
		REQUESTED,

		/** A request is in flight and is to be repeated at once. */
		REQUESTED_AGAIN,

		/** The claim was granted or given up, but a request is still in flight. */
		ENDING,

		/** The claim was granted or given up. */
		ENDED

	}

	private final Claim claim;

	/** Created when a request is planned or subscribed to, which few claims need. */
	private @Nullable NextRequest next;

	private Phase phase = Phase.IDLE;

	/** Whether a request has ended, with a response or a failure. */
	private volatile boolean responded;

	/** Whether the store's state may differ from its last response. */
	private boolean ambiguous;

	/** Greatest number of a grant that was revoked and may be this claim's. */
	private long revoked;

	/**
	 * Delay of the release after the response to the request in flight, {@code null} for
	 * no release.
	 */
	private @Nullable Duration releaseAfterResponse;

	private long lastSent;

	private byte failures;

	private @Nullable LockEngineException failure;

	StoreClaim(Claim claim) {
		this.claim = claim;
		this.lastSent = claim.since();
	}

	public Claim claim() {
		return this.claim;
	}

	/**
	 * Return the plan for the next request. A thread that a decision told to plan or to
	 * subscribe may call it without the gate's monitor.
	 */
	public NextRequest next() {
		if (this.next == null) {
			this.next = new NextRequest();
		}
		return this.next;
	}

	/** Return the plan for the next request if there was one, to be stopped. */
	@Nullable NextRequest planned() {
		return (this.next != null && this.next.isPlanned()) ? this.next : null;
	}

	/** Cancel the timer of the next request, because a request has begun. */
	public void cancelTimer() {
		if (this.next != null) {
			this.next.cancelTimer();
		}
	}

	/** Return whether a request has ended. Any thread may call it. */
	public boolean hasResponse() {
		return this.responded;
	}

	boolean isRequested() {
		return this.phase != Phase.IDLE && this.phase != Phase.ENDED;
	}

	boolean isOver() {
		return this.phase == Phase.ENDING || this.phase == Phase.ENDED;
	}

	/**
	 * Return why the store did not decide about a waiter whose wait time is over: its
	 * last request failed, or none had a response during the whole wait. {@code null} if
	 * it responded that the key is busy, or may just be slow, or if the request waits for
	 * a thread while the store responds to others.
	 * @param start when the wait began
	 * @param end when it ended; a pause of this process afterwards is no silence
	 * @param storeSilent whether no request at all had a response during the wait
	 */
	@Nullable LockEngineException failureSince(long start, long end, boolean storeSilent) {
		boolean silent = this.failure == null && !this.responded && (storeSilent || isRequested())
				&& this.claim.since() - start <= 0 && end - start >= SILENCE;
		return silent ? new LockEngineException(this.claim.key(), "the store did not respond in this time", null)
				: this.failure;
	}

	/**
	 * Return the time before the last request was sent that returned busy, initially the
	 * start of the claim. A pushed grant is newer.
	 */
	long lastSent() {
		return this.lastSent;
	}

	/**
	 * Begin a request, in place of any planned one. If one is in flight, it is repeated
	 * instead.
	 */
	boolean begin() {
		if (this.phase == Phase.IDLE) {
			this.phase = Phase.REQUESTED;
			if (this.next != null) {
				this.next.begin();
			}
			return true;
		}
		repeat();
		return false;
	}

	/** Mark a request in flight for repetition, and return whether there is one. */
	private boolean repeat() {
		if (this.phase == Phase.REQUESTED) {
			this.phase = Phase.REQUESTED_AGAIN;
		}
		return this.phase == Phase.REQUESTED_AGAIN;
	}

	/** Return whether a request must be sent on a signal, because none is in flight. */
	boolean signalled() {
		return !repeat();
	}

	/** Record the end of a request, and return whether it must be repeated. */
	boolean requestEnded() {
		boolean again = this.phase == Phase.REQUESTED_AGAIN;
		this.phase = isOver() ? Phase.ENDED : Phase.IDLE;
		return again;
	}

	/** Record a response or a failure, and return whether it is the first. */
	boolean respondedFirst() {
		boolean first = !this.responded;
		this.responded = true;
		return first;
	}

	void busy(long sent) {
		this.lastSent = sent;
		this.failure = null;
		this.failures = 0;
	}

	void failed(LockEngineException reason) {
		this.failure = reason;
		this.ambiguous = true;
	}

	/** Take over the failure of the claim that this one replaces. */
	void follow(StoreClaim former) {
		this.failure = former.failure;
	}

	/** Record that a grant was revoked that may be this claim's. */
	void revoke(long number) {
		this.revoked = Math.max(this.revoked, number);
	}

	/**
	 * Return whether a grant had ended before it arrived, so that it must be released.
	 */
	boolean rejects(AcquisitionOutcome.Granted grant, long now) {
		if (grant.validUntil() - now <= 0) {
			failed(new LockEngineException(this.claim.key(), "the store granted it, but too late", null));
			return true;
		}
		this.ambiguous |= grant.number() <= this.revoked;
		return grant.number() <= this.revoked;
	}

	/**
	 * Return when to request the key again for a waiter with zero wait time, because the
	 * owner of a lingering grant was asked to release it; {@code null} if the time for
	 * that is over.
	 * @param past nanoseconds since the wait began
	 */
	@Nullable Duration retryAfterRecall(long past) {
		return (this.claim.waits() || past >= MOST_RECALL) ? null
				: Duration.ofNanos(Math.min(Math.max(LEAST_RECALL, past), MOST_RECALL - past));
	}

	Duration backoff(RandomGenerator random) {
		long most = Math.min(MOST_BACKOFF, LEAST_BACKOFF << this.failures);
		this.failures = (byte) Math.min(this.failures + 1, 6);
		return Jitter.shorten(Duration.ofNanos(most), Jitter.OF_BACKOFF, random);
	}

	/** End the claim, which was granted or is given up. */
	void end() {
		this.phase = isRequested() ? Phase.ENDING : Phase.ENDED;
	}

	/**
	 * Give the claim up, so that nothing of it remains in the store.
	 * @return whether it must be released now
	 */
	boolean abandon() {
		end();
		return mayRelease(Duration.ZERO) && (this.ambiguous || this.claim.waits());
	}

	/**
	 * Return whether the claim, which is over, may be released after the given delay.
	 * Otherwise the delay begins with the response to the request in flight.
	 */
	boolean mayRelease(Duration rest) {
		boolean may = this.phase == Phase.ENDED;
		this.releaseAfterResponse = may ? null : rest;
		return may;
	}

	/** Return the delay of the release after the response, {@code null} for none. */
	@Nullable Duration releaseAfterResponse() {
		return this.releaseAfterResponse;
	}

}
