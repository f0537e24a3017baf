package io.leasehold.service;

import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.AcquisitionListener;
import io.leasehold.event.LockEvent;
import org.jspecify.annotations.Nullable;

/**
 * Events of one acquisition in a transaction, and of the hold that follows it. Confined
 * to one thread.
 */
final class TransactionAcquisition {

	private static final long NO_TOKEN = 0;

	private final String engine;

	private final LockOptions options;

	private final LockKey key;

	private final Events events;

	private final List<AcquisitionListener> followers;

	private final long start;

	private boolean waited;

	TransactionAcquisition(String engine, LockOptions options, LockKey key, Events events, long start) {
		this.engine = engine;
		this.options = options;
		this.key = key;
		this.events = events;
		this.followers = events.follow(engine, options.name(), key);
		this.start = start;
	}

	LockKey key() {
		return this.key;
	}

	void waitStarted() {
		this.waited = true;
		this.events.publish(new LockEvent.WaitStarted(this.engine, this.options.name(), this.key));
	}

	void ended(AcquireOutcome outcome, @Nullable RuntimeException failure, long now) {
		this.events.publish(new LockEvent.AcquireEnded(this.engine, this.options.name(), this.key, outcome, this.waited,
				now - this.start, failure));
		this.events.notifyEach(this.followers, (follower) -> follower.acquireEnded(outcome, failure));
		if (outcome == AcquireOutcome.ACQUIRED) {
			this.events.notifyEach(this.followers, (follower) -> follower.holdStarted(NO_TOKEN));
		}
	}

	/** Report the end of the transaction. */
	void released(long nanos) {
		this.events.publish(new LockEvent.HoldEnded(this.engine, this.options.name(), this.key, NO_TOKEN, nanos));
		this.events.notifyEach(this.followers, (follower) -> follower.holdEnded(null));
	}

}
