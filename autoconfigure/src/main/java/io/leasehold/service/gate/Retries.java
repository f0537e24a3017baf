package io.leasehold.service.gate;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.support.Jitter;
import org.jspecify.annotations.Nullable;

/**
 * State of a claim that was planned, or was not granted by its first request: its
 * failures, its planned request and its subscription. Guarded by the gate's monitor.
 */
final class Retries {

	private static final long LEAST_BACKOFF = 20_000_000;

	private static final long MOST_BACKOFF = 1_000_000_000;

	private long lastSent;

	private byte failures;

	private @Nullable LockEngineException failure;

	private boolean listens;

	private @Nullable Subscription listener;

	private int plans;

	private @Nullable Future<?> timer;

	Retries(long since) {
		this.lastSent = since;
	}

	/**
	 * Return the time before the last request was sent that returned busy, initially the
	 * start of the claim. A pushed grant is newer.
	 */
	long lastSent() {
		return this.lastSent;
	}

	/** Return the failure of the last request, {@code null} if the store responded. */
	@Nullable LockEngineException failure() {
		return this.failure;
	}

	/** Record that a request has begun, in place of any planned one. */
	void begun() {
		this.plans++;
	}

	void busy(long sent) {
		this.lastSent = sent;
		this.failure = null;
		this.failures = 0;
	}

	void failed(LockEngineException reason) {
		this.failure = reason;
	}

	Duration backoff(RandomGenerator random) {
		long most = Math.min(MOST_BACKOFF, LEAST_BACKOFF << this.failures);
		this.failures = (byte) Math.min(this.failures + 1, 6);
		return Jitter.shorten(Duration.ofNanos(most), Jitter.OF_BACKOFF, random);
	}

	/** Return whether the claim must be subscribed, because it is not yet. */
	boolean startListening() {
		boolean starts = !this.listens;
		this.listens = true;
		return starts;
	}

	/** Store a subscription, or {@code null}, and return whether it stays open. */
	boolean listen(@Nullable Subscription opened, boolean over) {
		this.listens = opened != null;
		this.listener = over ? null : opened;
		return this.listener != null;
	}

	/** Plan a request that replaces any other planned one, and return its number. */
	int plan() {
		return ++this.plans;
	}

	/**
	 * Store the timer of a planned request.
	 * @return the timer to cancel: the former one, or this one if it is obsolete
	 */
	@Nullable Future<?> planned(int plan, Future<?> started) {
		if (plan != this.plans) {
			return started;
		}
		Future<?> former = this.timer;
		this.timer = started;
		return former;
	}

	/** Return whether a timer or a subscription must be stopped. */
	boolean hasResources() {
		return this.timer != null || this.listener != null;
	}

	void cancelTimer() {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
	}

	void stop() {
		cancelTimer();
		if (this.listener != null) {
			this.listener.close();
		}
	}

}
