package io.leasehold.service.gate;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * A gate's claim at the store, from the first request until it is granted or given up. At
 * most one request is under way. Guarded by the gate's monitor.
 */
public final class StoreClaim {

	private static final long LEAST_BACKOFF = 20_000_000;

	private static final long MOST_BACKOFF = 1_000_000_000;

	/** What the claim is doing. */
	private enum Phase {

		/** No request is under way. */
		IDLE,

		/** A request is under way. */
		REQUESTED,

		/** A request is under way, and another one is to follow at once. */
		REQUESTED_AGAIN,

		/** Granted or given up, while a request is still under way. */
		ENDING,

		/** Granted or given up. */
		ENDED

	}

	private Claim claim;

	private Phase phase = Phase.IDLE;

	/** Whether the store has answered once, or failed to. */
	private volatile boolean answered;

	/** Whether the store may know more of the claim than its last answer said. */
	private boolean ambiguous;

	/**
	 * How long an ending claim is left alone once its request has been answered, if it is
	 * to be released then.
	 */
	private @Nullable Duration releaseAfterAnswer;

	/**
	 * When the last request was sent that was answered, or the first one: what is pushed
	 * was granted later.
	 */
	private long lastSent;

	private byte failures;

	private @Nullable LockEngineException failure;

	private boolean listens;

	private @Nullable Waiting listener;

	/** Counts the requests that were planned. */
	private int plans;

	private @Nullable Future<?> timer;

	/** Checks that found nothing under way; of the self-check. */
	private byte suspected;

	StoreClaim(Claim claim) {
		this.claim = claim;
		this.lastSent = claim.since();
	}

	Claim claim() {
		return this.claim;
	}

	/** Whether the store has answered once, or failed to. Any thread. */
	public boolean isAnswered() {
		return this.answered;
	}

	/** Whether a request is under way. */
	boolean isRequested() {
		return this.phase != Phase.IDLE && this.phase != Phase.ENDED;
	}

	boolean isOver() {
		return this.phase == Phase.ENDING || this.phase == Phase.ENDED;
	}

	/** The last request's failure, if it was not answered. */
	@Nullable LockEngineException failure() {
		return this.failure;
	}

	long lastSent() {
		return this.lastSent;
	}

	/** Begin a request, unless one is under way, which is repeated then. */
	boolean begin() {
		if (this.phase == Phase.IDLE) {
			this.phase = Phase.REQUESTED;
			this.plans++;
			return true;
		}
		repeat();
		return false;
	}

	/** Note that a request that is under way is to be repeated. */
	private boolean repeat() {
		if (this.phase == Phase.REQUESTED) {
			this.phase = Phase.REQUESTED_AGAIN;
		}
		return this.phase == Phase.REQUESTED_AGAIN;
	}

	/** Return whether a request has to be sent on a signal, since none is under way. */
	boolean signalled() {
		return !repeat();
	}

	/** The request has ended; return whether it is to be repeated. */
	boolean requestEnded() {
		boolean again = this.phase == Phase.REQUESTED_AGAIN;
		this.phase = isOver() ? Phase.ENDED : Phase.IDLE;
		return again;
	}

	/** Note a first answer, or that there was none; return whether it was the first. */
	boolean answeredFirst() {
		boolean first = !this.answered;
		this.answered = true;
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

	/** The store may have granted more than this process can believe in. */
	void grantedTooLate() {
		this.ambiguous = true;
	}

	Duration backoff() {
		long most = Math.min(MOST_BACKOFF, LEAST_BACKOFF << this.failures);
		this.failures = (byte) Math.min(this.failures + 1, 6);
		return Duration.ofNanos(ThreadLocalRandom.current().nextLong(most / 2, most));
	}

	/**
	 * Wait from now on, for a caller behind the one for which the claim was made.
	 * @return whether a request has to be sent for that
	 */
	boolean keepWaiting() {
		if (this.claim.waits()) {
			return false;
		}
		this.claim = this.claim.waiting();
		return !repeat();
	}

	/** End the claim, which was granted or is given up. */
	void end() {
		this.phase = isRequested() ? Phase.ENDING : Phase.ENDED;
	}

	/**
	 * Give the claim up: leave nothing behind.
	 * @return whether it has to be released now
	 */
	boolean abandon() {
		end();
		return mayRelease(Duration.ZERO) && (this.ambiguous || this.claim.waits());
	}

	/**
	 * Return whether the claim, which is over, may be released after the given time;
	 * otherwise that time begins when the request has been answered that is under way.
	 */
	boolean mayRelease(Duration rest) {
		boolean may = this.phase == Phase.ENDED;
		this.releaseAfterAnswer = may ? null : rest;
		return may;
	}

	/** How long the claim is left alone after its answer, if it is released then. */
	@Nullable Duration releaseAfterAnswer() {
		return this.releaseAfterAnswer;
	}

	/** Return whether the claim is to listen to the store, and does not yet. */
	boolean startListening() {
		boolean starts = !this.listens;
		this.listens = true;
		return starts;
	}

	/** Keep a listener, {@code null} for none, unless the claim is over. */
	boolean listen(@Nullable Waiting opened) {
		this.listens = opened != null;
		this.listener = isOver() ? null : opened;
		return this.listener != null;
	}

	/** A further request is planned in place of any other; return its number. */
	int plan() {
		return ++this.plans;
	}

	/**
	 * Keep the timer of a planned request.
	 * @return the timer to be cancelled: the former one, or this one if it is obsolete
	 */
	@Nullable Future<?> planned(int plan, Future<?> started) {
		if (plan != this.plans || isOver()) {
			return started;
		}
		Future<?> former = this.timer;
		this.timer = started;
		return former;
	}

	/** Whether a timer or a listener has to be stopped. */
	boolean hasResources() {
		return this.timer != null || this.listener != null;
	}

	/**
	 * Cancel the planned request, since one has begun or the claim is over. Not in the
	 * monitor.
	 */
	public void cancelTimer() {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
	}

	/** Stop the timer and the listener of a claim that is over. Not in the monitor. */
	public void stop() {
		cancelTimer();
		if (this.listener != null) {
			this.listener.close();
		}
	}

	/** Return whether several checks have found that no request is sent nor planned. */
	boolean isStuck() {
		boolean idle = this.phase == Phase.IDLE && (this.timer == null || this.timer.isDone());
		this.suspected = (byte) (idle ? this.suspected % Repair.PATIENCE + 1 : 0);
		return this.suspected == Repair.PATIENCE;
	}

}
