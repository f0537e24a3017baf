package io.leasehold.service;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.event.LockEvent;
import io.leasehold.service.gate.Hold;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Events, warnings and {@code onLost} actions of holds.
 */
final class HoldReports {

	private static final Log logger = LogFactory.getLog(HoldReports.class);

	private final String engine;

	private final EngineThreads threads;

	private final Events events;

	HoldReports(String engine, EngineThreads threads, Events events) {
		this.engine = engine;
		this.threads = threads;
		this.events = events;
	}

	void slow(Hold hold, long nanos) {
		logger.warn("Lock '%s' (%s) is held for %s ms, longer than leasehold.slow-hold allows (engine: %s)"
			.formatted(hold.key(), hold.options.name(), Duration.ofNanos(nanos).toMillis(), this.engine));
		this.events.publishLater(
				new LockEvent.HoldSlow(this.engine, hold.options.name(), hold.key(), hold.fencingToken(), nanos));
	}

	/** Report in the current thread that a hold was closed. */
	void closed(Hold hold, long now) {
		if (this.events.haveListeners() && !hold.options.endless()) {
			this.events.publish(ended(hold, now));
		}
		if (!hold.followers.isEmpty()) {
			this.events.notifyEach(hold.followers, (follower) -> follower.holdEnded(hold.lossCause()));
		}
	}

	/** Report a loss that was detected by the release. */
	void lostAtRelease(Hold hold, long now) {
		logLoss(hold, LossCause.NOT_OWNER, now);
		this.events.publish(lost(hold, LossCause.NOT_OWNER));
	}

	/** Report a loss that was detected after the hold was closed. */
	void lostAfterClosing(Hold hold, long now) {
		logLoss(hold, LossCause.NOT_OWNER, now);
		this.events.publishLater(lost(hold, LossCause.NOT_OWNER));
	}

	void lost(Hold hold, LossCause cause, long now) {
		logLoss(hold, cause, now);
		if (hold.options.endless()) {
			this.events.publishLater(lost(hold, cause));
		}
		else {
			this.events.publishLater(lost(hold, cause), ended(hold, now));
		}
		this.events.notifyLater(hold.followers, (follower) -> follower.holdEnded(cause));
	}

	private LockEvent lost(Hold hold, LossCause cause) {
		return new LockEvent.HoldLost(this.engine, hold.options.name(), hold.key(), hold.fencingToken(), cause);
	}

	private LockEvent ended(Hold hold, long now) {
		return new LockEvent.HoldEnded(this.engine, hold.options.name(), hold.key(), hold.fencingToken(),
				now - hold.since);
	}

	/** Log a loss. A cancellation is no warning, because clients may disconnect. */
	private void logLoss(Hold hold, LossCause cause, long now) {
		if (cause == LossCause.CANCELLED && !logger.isDebugEnabled()) {
			return;
		}
		Exception failure = hold.grant.renewalFailure();
		String message = "Lock '%s' (%s) was lost after %s ms: %s (engine: %s)%s".formatted(hold.key(),
				hold.options.name(), Duration.ofNanos(now - hold.since).toMillis(), cause.description(), this.engine,
				(failure != null) ? ". Its last renewal failed: " + failure.getMessage() : "");
		if (cause == LossCause.CANCELLED) {
			logger.debug(message);
		}
		else {
			logger.warn(message);
		}
	}

	LockLostException exception(Hold hold, LossCause cause) {
		return new LockLostException(hold.key(), this.engine, cause, hold.grant.renewalFailure());
	}

	/** Run an {@code onLost} action of a holder in another thread. */
	void runLossAction(Hold hold, Consumer<LockLostException> action) {
		LossCause cause = Objects.requireNonNull(hold.lossCause());
		this.threads.losses().execute(() -> {
			try {
				action.accept(exception(hold, cause));
			}
			catch (Exception | LinkageError | AssertionError ex) {
				logger.warn("An onLost action of lock '%s' failed".formatted(hold.key()), ex);
			}
		});
	}

}
