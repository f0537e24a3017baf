package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.function.Consumer;

import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Signal;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the engine knows of a claim from its first request to its end. Thread-safe:
 * replies come in the service's threads, messages in the client's.
 */
final class LiveClaim {

	private static final Log logger = LogFactory.getLog(LiveClaim.class);

	private final Claim claim;

	private final String name;

	private final RedisSettings settings;

	private final MonotonicClock clock;

	/** Line of the first request; another later means that it broke. */
	private @Nullable Line line;

	private int requests;

	/**
	 * When the last request was sent that the store answered with <em>busy</em>, or the
	 * first one: any grant in a message came later.
	 */
	private long base;

	/** Greatest fence that a reply or message has shown; others are stale or doubled. */
	private long seen;

	/** Fence of a message that nobody has listened to yet. */
	private long told;

	private boolean askAgain;

	/** Whether all requests were answered before the claim was forgotten. */
	private boolean answered;

	private boolean closing;

	private long closingSince;

	private boolean closeSent;

	private @Nullable Consumer<Signal> listener;

	LiveClaim(Claim claim, String name, RedisSettings settings, MonotonicClock clock) {
		this.claim = claim;
		this.name = name;
		this.settings = settings;
		this.clock = clock;
	}

	/** Go on with a claim that was forgotten, since all its requests were answered. */
	synchronized LiveClaim answered() {
		this.answered = true;
		return this;
	}

	RedisKeys keys() {
		return RedisKeys.of(this.settings.namespace(), this.claim.key());
	}

	/** What the store knows it by. */
	String name() {
		return this.name;
	}

	Duration grantLease() {
		return this.settings.grantLease(this.claim.lease());
	}

	/** How long the store keeps a grant after its lease. */
	Duration lockDelay() {
		return this.claim.lockDelay();
	}

	/**
	 * Note that the store is going to be asked.
	 * @return the lease to ask for: that of a claim found dead by its waiters is short
	 */
	synchronized Duration ask(Line through, long sent) {
		this.askAgain = false;
		this.requests++;
		if (this.line != null) {
			return grantLease();
		}
		this.line = through;
		this.base = sent;
		return this.claim.lease();
	}

	/** Note that the store has not run the last request and never will. */
	synchronized void requestHasNotRun() {
		this.requests--;
		if (this.requests == 0) {
			this.line = null;
		}
	}

	synchronized Attempt.Granted granted(long fence, long sent, Duration asked) {
		this.seen = Math.max(this.seen, fence);
		return new Attempt.Granted(fence, MonotonicClock.validUntil(sent, asked));
	}

	synchronized void busy(long fence, long sent) {
		this.seen = Math.max(this.seen, fence);
		this.base = sent;
	}

	/**
	 * Return whether the claim was asked for once only: if that was granted it never
	 * waited, so no message comes.
	 */
	synchronized boolean wasAskedOnce() {
		return this.requests == 1;
	}

	/**
	 * Return whether all requests of this claim went the given way, or were answered.
	 */
	synchronized boolean askedOnlyThrough(Line through) {
		return this.answered || this.line == through;
	}

	/** Take note of a message. */
	void told(long fence) {
		synchronized (this) {
			this.told = Math.max(this.told, fence);
		}
		signal();
	}

	/** Take note that messages may have been lost. */
	void mayHaveMissed() {
		synchronized (this) {
			this.askAgain = true;
		}
		signal();
	}

	void listen(@Nullable Consumer<Signal> newListener) {
		synchronized (this) {
			this.listener = newListener;
		}
		signal();
	}

	/**
	 * End the claim here.
	 * @return whether the store may know of it
	 */
	synchronized boolean close() {
		if (!this.closing) {
			this.closing = true;
			this.closingSince = this.clock.nanoTime();
		}
		return this.answered || this.line != null;
	}

	/** Return whether grants and late requests of a claim that ended are over, too. */
	synchronized boolean isLongOver(long now, Duration lateRequests) {
		Duration kept = this.claim.lease().plus(this.claim.lockDelay()).plus(this.claim.minHold());
		return this.closing && now - this.closingSince > kept.plus(lateRequests).toNanos();
	}

	/**
	 * Note that the store is going to be told of the end.
	 * @return whether it has been told before, so that <em>not owner</em> may be the echo
	 * of that
	 */
	synchronized boolean tellEnd() {
		boolean before = this.closeSent;
		this.closeSent = true;
		return before;
	}

	/** Note that the store has not run the request to end the claim and never will. */
	synchronized void endHasNotRun(boolean toldBefore) {
		this.closeSent = toldBefore;
	}

	private void signal() {
		Consumer<Signal> to;
		Signal signal;
		synchronized (this) {
			to = this.listener;
			signal = (to != null && !this.closing) ? due() : null;
		}
		if (to == null || signal == null) {
			return;
		}
		try {
			to.accept(signal);
		}
		catch (RuntimeException ex) {
			logger.warn("The listener of a claim on '%s' failed".formatted(keys().lock()), ex);
		}
	}

	private @Nullable Signal due() {
		boolean ask = this.askAgain;
		this.askAgain = false;
		if (this.told > this.seen) {
			long validUntil = MonotonicClock.validUntil(this.base, grantLease());
			// A message proves nothing of replicas
			if (this.settings.replicasToWait() == 0
					&& validUntil - this.clock.nanoTime() >= this.settings.minValidity().toNanos()) {
				this.seen = this.told;
				return new Signal.Pushed(new Attempt.Granted(this.told, validUntil));
			}
			this.told = 0; // the next poll tells whether it is still in force
			ask = true;
		}
		return ask ? new Signal.AskAgain() : null;
	}

}
