package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.function.Consumer;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.connection.Line;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * State of a claim in this process, from its first request to its end. Thread-safe:
 * responses arrive in threads of the service, messages in threads of the client library.
 */
final class LiveClaim {

	private static final Log logger = LogFactory.getLog(LiveClaim.class);

	private final Claim claim;

	private final String name;

	private final RedisKeys keys;

	private final RedisSettings settings;

	private final MonotonicClock clock;

	/** Line of the first request; a later request on another line means that it broke. */
	private @Nullable Line line;

	private int requests;

	/**
	 * Time at which the last request that returned <em>busy</em> was sent, or else the
	 * first request. The grant in a message is always later.
	 */
	private long base;

	/** Greatest grant number received so far; messages up to it are outdated. */
	private long seen;

	/** Grant number of a message that no listener has received yet. */
	private long notified;

	private boolean retry;

	/** Whether all requests had a response before the claim was removed. */
	private boolean responded;

	private boolean closing;

	private long closingSince;

	private @Nullable Consumer<Signal> listener;

	LiveClaim(Claim claim, String name, RedisSettings settings, MonotonicClock clock) {
		this.claim = claim;
		this.name = name;
		this.keys = RedisKeys.of(settings.namespace(), claim.key());
		this.settings = settings;
		this.clock = clock;
	}

	/**
	 * Record that all requests of this claim had a response, and that it never waited.
	 */
	synchronized LiveClaim responded() {
		this.responded = true;
		return this;
	}

	Claim claim() {
		return this.claim;
	}

	/** Return whether the grant of the next request should linger. */
	synchronized boolean lingers() {
		return this.claim.lingers() && this.requests == 1;
	}

	RedisKeys keys() {
		return this.keys;
	}

	String name() {
		return this.name;
	}

	/** Return whether the claim is exclusive, without minimum hold and lock delay. */
	boolean isPlain() {
		return ClaimName.isPlain(this.name);
	}

	Duration grantLease() {
		return this.settings.grantLease(this.claim.lease());
	}

	Duration lockDelay() {
		return this.claim.lockDelay();
	}

	/**
	 * Record that a request is about to be sent.
	 * @return the lease to request; short for a repeated request, so that a dead waiter
	 * delays others only briefly
	 */
	synchronized Duration request(Line through, long sent) {
		this.retry = false;
		this.requests++;
		if (this.line != null) {
			return grantLease();
		}
		this.line = through;
		this.base = sent;
		return this.claim.lease();
	}

	/** Record that the store has not run the last request and never will. */
	synchronized void requestHasNotRun() {
		this.requests--;
		if (this.requests == 0) {
			this.line = null;
		}
	}

	synchronized AcquisitionOutcome.Granted granted(long number, long sent, Duration requested, int reserved) {
		this.seen = Math.max(this.seen, number);
		return new AcquisitionOutcome.Granted(number, MonotonicClock.validUntil(sent, requested), reserved);
	}

	synchronized void busy(long number, long sent) {
		this.seen = Math.max(this.seen, number);
		this.base = sent;
	}

	/**
	 * Return whether a single request was sent. If that was granted, the claim never
	 * waited, so no message will arrive.
	 */
	synchronized boolean requestedOnce() {
		return this.requests == 1;
	}

	/**
	 * Return whether all requests of this claim used the given line or had a response.
	 */
	synchronized boolean requestedOnlyThrough(Line through) {
		return this.responded || this.line == through;
	}

	/** Record a message about a grant. */
	void notified(long number) {
		synchronized (this) {
			this.notified = Math.max(this.notified, number);
		}
		signal();
	}

	/** Record that messages may have been lost. */
	void mayHaveMissed() {
		synchronized (this) {
			this.retry = true;
		}
		signal();
	}

	void listen(@Nullable Consumer<Signal> newListener) {
		synchronized (this) {
			this.listener = newListener;
		}
		signal();
	}

	/** End the claim in this process; return whether the store may know it. */
	synchronized boolean close() {
		if (!this.closing) {
			this.closing = true;
			this.closingSince = this.clock.nanoTime();
		}
		return this.responded || this.line != null;
	}

	/** Return whether the grants and late requests of an ended claim have expired. */
	synchronized boolean isLongOver(long now, Duration lateRequests) {
		Duration kept = this.claim.lease().plus(this.claim.lockDelay()).plus(this.claim.minHold());
		return this.closing && now - this.closingSince > kept.plus(lateRequests).toNanos();
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
			logger.warn("The listener of a claim on '%s' failed".formatted(this.keys.lock()), ex);
		}
	}

	private @Nullable Signal due() {
		boolean request = this.retry;
		this.retry = false;
		if (this.notified > this.seen) {
			long validUntil = MonotonicClock.validUntil(this.base, grantLease());
			// A message does not prove that replicas have the grant
			if (this.settings.replicasToWait() == 0
					&& validUntil - this.clock.nanoTime() >= this.settings.minValidity().toNanos()) {
				this.seen = this.notified;
				return new Signal.Pushed(new AcquisitionOutcome.Granted(this.notified, validUntil));
			}
			this.notified = 0; // the next poll returns whether it is valid
			request = true;
		}
		return request ? new Signal.Retry() : null;
	}

}
