package io.leasehold.service.gate;

import java.util.concurrent.Future;

import io.leasehold.engine.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * What leads to the next request of a waiting claim: a timer and a subscription to the
 * store's signals. Both are created after the gate's monitor was left, and end with the
 * claim. Thread-safe.
 */
public final class NextRequest {

	/** Number of the last plan. It changes under the gate's monitor only. */
	private int plans;

	private @Nullable Future<?> timer;

	private boolean subscribed;

	private @Nullable Subscription subscription;

	private boolean stopped;

	/** Return the number of a plan that replaces any other one. */
	synchronized int plan() {
		return ++this.plans;
	}

	/** Replace the plan, if there is one, by a request that begins now. */
	void begin() {
		if (isPlanned()) {
			plan();
		}
	}

	/** Return whether there was a plan, so that this object must be stopped. */
	boolean isPlanned() {
		return this.plans > 0;
	}

	/** Return whether the claim must be subscribed, because it is not yet. */
	synchronized boolean subscribe() {
		boolean must = !this.subscribed;
		this.subscribed = true;
		return must;
	}

	/** Keep the timer of a plan, in place of the former one. */
	public void planned(int plan, Future<?> started) {
		Future<?> obsolete;
		synchronized (this) {
			boolean late = this.stopped || plan != this.plans;
			obsolete = late ? started : this.timer;
			this.timer = late ? this.timer : started;
		}
		cancel(obsolete);
	}

	/**
	 * Keep a subscription, or close it if the claim has ended meanwhile.
	 * @param opened the subscription, {@code null} if it could not be opened: the next
	 * response subscribes the claim again
	 */
	public void subscribed(@Nullable Subscription opened) {
		boolean late;
		synchronized (this) {
			late = this.stopped;
			this.subscribed = opened != null;
			this.subscription = opened;
		}
		if (late && opened != null) {
			opened.close();
		}
	}

	/** Cancel the timer, because a request has begun. */
	public void cancelTimer() {
		Future<?> obsolete;
		synchronized (this) {
			obsolete = this.timer;
		}
		cancel(obsolete);
	}

	private static void cancel(@Nullable Future<?> timer) {
		if (timer != null) {
			timer.cancel(false);
		}
	}

	/** Stop the timer and the subscription, because the claim has ended. */
	public void stop() {
		Subscription open;
		synchronized (this) {
			this.stopped = true;
			open = this.subscription;
		}
		cancelTimer();
		if (open != null) {
			open.close();
		}
	}

}
