package io.leasehold.service;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;

import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.HandoffKind;
import io.leasehold.event.LockEvent;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.Survey;
import io.leasehold.service.gate.Waiter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Events and warnings about the acquisitions and holds of one engine, and calls of
 * {@code onLost} actions.
 *
 * @param standstill returns for how long the process stood still lately
 */
record Reports(String engine, EngineThreads threads, Events events, StoreOutage outage, SlowWaits slowWaits,
		LongFunction<Duration> standstill) {

	private static final Log logger = LogFactory.getLog(Reports.class);

	/** Let the listeners follow an acquisition that begins. */
	void begun(Waiter waiter) {
		if (!waiter.options().endless()) {
			waiter.follow(this.events.follow(this.engine, waiter.options().name(), waiter.key()));
		}
	}

	/**
	 * Report that a caller waits, once. The grant of an async caller may have ended the
	 * wait meanwhile, and must be reported afterwards.
	 */
	void waits(Waiter waiter) {
		if (!waiter.options().endless()) {
			waiter.announceWait(() -> {
				this.events.publish(new LockEvent.WaitStarted(this.engine, waiter.options().name(), waiter.key()));
				this.slowWaits.begun();
			});
		}
	}

	void started(Hold hold) {
		if (!hold.followers.isEmpty()) {
			this.events.notifyEach(hold.followers, (follower) -> follower.holdStarted(hold.fencingToken()));
		}
		if (hold.isPassed() || hold.pushed) {
			HandoffKind kind = hold.isPassed() ? HandoffKind.LOCAL : HandoffKind.PUSHED;
			this.events.publish(new LockEvent.HandedOff(this.engine, kind));
		}
	}

	void acquired(Waiter waiter, boolean reentered, long now) {
		ended(waiter, reentered ? AcquireOutcome.REENTERED : AcquireOutcome.ACQUIRED, null, now);
	}

	/**
	 * Report a failed acquisition.
	 * @param bypassed whether the caller continues without the lock
	 */
	void failed(Waiter waiter, RuntimeException failure, Predicate<LockException> bypassed, long now) {
		AcquireOutcome outcome = outcomeOf(failure, bypassed);
		if (failure instanceof LockEngineException) {
			this.outage.failed(waiter.start(), failure);
		}
		if (outcome == AcquireOutcome.BYPASSED) {
			this.outage.bypassed(waiter.options().name());
		}
		ended(waiter, outcome, failure, now);
	}

	private void ended(Waiter waiter, AcquireOutcome outcome, @Nullable RuntimeException failure, long now) {
		if (this.events.haveListeners() && !waiter.options().endless()) {
			this.events.publish(new LockEvent.AcquireEnded(this.engine, waiter.options().name(), waiter.key(), outcome,
					waiter.waited(), now - waiter.start(), failure));
		}
		if (!waiter.followers().isEmpty()) {
			this.events.notifyEach(waiter.followers(), (follower) -> follower.acquireEnded(outcome, failure));
		}
	}

	static AcquireOutcome outcomeOf(RuntimeException failure, Predicate<LockException> bypassed) {
		if (failure instanceof LockBusyException) {
			return AcquireOutcome.BUSY;
		}
		if (failure instanceof LockInterruptedException) {
			return AcquireOutcome.INTERRUPTED;
		}
		if (failure instanceof LockEngineException unavailable) {
			return bypassed.test(unavailable) ? AcquireOutcome.BYPASSED : AcquireOutcome.UNAVAILABLE;
		}
		return AcquireOutcome.ERROR;
	}

	void slow(Hold hold, long nanos) {
		logger.warn("Lock '%s' (%s) is held%s for %s ms, longer than leasehold.slow-hold allows (engine: %s)".formatted(
				hold.key(), hold.options.name(), threadOf(hold), Duration.ofNanos(nanos).toMillis(), this.engine));
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
		String message = "Lock '%s' (%s) was lost after %s ms%s: %s (engine: %s)%s".formatted(hold.key(),
				hold.options.name(), Duration.ofNanos(now - hold.since).toMillis(), threadOf(hold),
				hold.grant.isReleasedByForce() ? "it was released by force" : cause.description(), this.engine,
				details(hold, cause, now));
		if (cause == LossCause.CANCELLED) {
			logger.debug(message);
		}
		else {
			logger.warn(message);
		}
	}

	private String details(Hold hold, LossCause cause, long now) {
		Exception failure = hold.grant.renewalFailure();
		Duration still = (cause == LossCause.EXPIRED) ? this.standstill.apply(now) : Duration.ZERO;
		return ((failure != null) ? ". Its last renewal failed: " + failure.getMessage() : "") + (still.isZero() ? ""
				: ". This process stood still for %s ms: look at its garbage collection, its CPU and its host"
					.formatted(still.toMillis()));
	}

	private static String threadOf(Hold hold) {
		return (hold.thread != null) ? " by thread " + Survey.nameOf(hold.thread) : "";
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
			catch (Throwable ex) {
				logger.warn("An onLost action of lock '%s' failed".formatted(hold.key()), ex);
			}
		});
	}

}
