package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.event.LockEvent;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of holds after they were acquired: valid, closed, passed on, released or
 * lost.
 */
final class Holds {

	private static final Log logger = LogFactory.getLog(Holds.class);

	private final Coordinator coordinator;

	private final String engine;

	private final boolean throwsOnLoss;

	private final long slowNanos;

	Holds(Coordinator coordinator, ServiceSettings settings) {
		this.coordinator = coordinator;
		this.engine = coordinator.engine().name();
		this.throwsOnLoss = settings.onLost() != OnLost.WARN;
		this.slowNanos = settings.slowHold().toNanos();
	}

	/** Name of the engine that grants them. */
	String engine() {
		return this.engine;
	}

	boolean isValid(Hold hold) {
		return isValid(hold, now());
	}

	boolean isValid(Hold hold, long now) {
		if (hold.lossCause() != null) {
			return false;
		}
		if (hold.isValid(now)) {
			return true;
		}
		lose(hold, hold.isRenewable(now) ? LossCause.EXPIRED : LossCause.MAX_HOLD);
		return false;
	}

	/** Whether a hold is valid, and the engine is not in doubt about it. */
	boolean isBeyondDoubt(Hold hold) {
		return isValid(hold) && !this.coordinator.inDoubt(hold.grant);
	}

	Duration remaining(Hold hold) {
		return isValid(hold) ? Duration.ofNanos(hold.remaining(now())) : Duration.ZERO;
	}

	void onLost(Hold hold, Consumer<LockLostException> action) {
		if (hold.gate.onLost(hold, action)) {
			runLossAction(hold, action);
		}
	}

	/** Throw if the hold was lost, as far as the clock can tell. */
	void requireValid(Hold hold) {
		boolean valid = isValid(hold);
		throwIfLost(hold);
		if (valid && this.coordinator.inDoubt(hold.grant)) {
			throw new LockEngineException(hold.key(),
					"Lock '%s' is in doubt: the connection to its store is broken (engine: %s)".formatted(hold.key(),
							this.engine),
					null);
		}
	}

	/** What a holder is told at the end, if it wants to be. */
	void throwIfLostAtEnd(Hold hold) {
		if (this.throwsOnLoss) {
			throwIfLost(hold);
		}
	}

	private void throwIfLost(Hold hold) {
		LossCause cause = hold.lossCause();
		if (cause != null) {
			throw lostException(hold, cause);
		}
	}

	/** Tell once of a hold that lasts longer than it should. */
	void tellIfSlow(Hold hold, long now) {
		long nanos = now - hold.since;
		if (nanos < this.slowNanos || !hold.gate.noteSlow(hold)) {
			return;
		}
		logger.warn("Lock '%s' (%s) is held for %d ms, longer than leasehold.slow-hold allows (engine: %s)"
			.formatted(hold.key(), hold.options.name(), Duration.ofNanos(nanos).toMillis(), this.engine));
		this.coordinator.events()
			.publishLater(
					new LockEvent.HoldSlow(this.engine, hold.options.name(), hold.key(), hold.fencingToken(), nanos));
	}

	/** A handle was closed; with the last one the hold ends. */
	void close(Hold hold) {
		long now = now();
		isValid(hold, now);
		tellIfSlow(hold, now);
		if (!hold.gate.close(hold)) {
			releaseAfterLoss(hold);
			return;
		}
		long rest = this.coordinator.storeKeepsMinHold() ? 0 : hold.minHoldRest(now);
		if (rest > 0) {
			EngineThreads threads = this.coordinator.threads();
			threads.schedule(() -> leave(hold, now()), Duration.ofNanos(rest), threads.releases());
		}
		else if (leave(hold, now) instanceof ReleaseOutcome.NotOwner) {
			hold.lose(LossCause.NOT_OWNER);
			logLoss(hold, LossCause.NOT_OWNER);
			this.coordinator.events().publish(lost(hold, LossCause.NOT_OWNER));
		}
		this.coordinator.events().publish(ended(hold, now));
		this.coordinator.events().tell(hold.followers, (follower) -> follower.holdEnded(hold.lossCause()));
	}

	/** Nothing runs under a lost hold any more: its key need not wait for the lease. */
	private void releaseAfterLoss(Hold hold) {
		if (this.coordinator.storeKeepsMinHold() || hold.minHoldRest(now()) <= 0) {
			Claim claim = hold.gate.leaveAfterLoss(hold);
			Future<?> closing = hold.closing;
			if (claim != null) {
				if (closing != null) {
					closing.cancel(false);
				}
				this.coordinator.closer().close(claim);
			}
		}
	}

	/** The grant behind a hold is no longer in force, whoever may have it by now. */
	void lose(Hold hold, LossCause cause) {
		lost(hold, cause, hold.gate.lose(hold, cause));
	}

	/**
	 * The result of a holder was cancelled, but its work may go on: lost until that ends.
	 */
	void cancel(Hold hold) {
		lost(hold, LossCause.CANCELLED, hold.gate.cancel(hold));
	}

	private void lost(Hold hold, LossCause cause, Gate.@Nullable Loss loss) {
		if (loss == null) {
			return;
		}
		if (loss.close()) {
			hold.closing = this.coordinator.closer().closeAfter(hold.grant.claim, loss.rest());
		}
		Hold lost = loss.hold();
		if (!lost.isOpened() || lost.isClosed()) {
			return;
		}
		logLoss(lost, cause);
		loss.actions().forEach((action) -> runLossAction(lost, action));
		this.coordinator.events().publishLater(lost(lost, cause), ended(lost, now()));
		this.coordinator.events().tellLater(lost.followers, (follower) -> follower.holdEnded(cause));
	}

	/** The first renewal of a hold ended, and with it what its release may wait for. */
	void firstRenewalEnded(Hold hold) {
		long now = now();
		if (hold.gate.firstRenewalEnded(hold) && hold.minHoldRest(now) <= 0) {
			Claim claim = hold.gate.leave(hold, now);
			if (claim != null) {
				this.coordinator.threads().releases().execute(() -> release(hold, claim));
			}
		}
	}

	/** Leave a closed hold in a thread of the library. */
	void leaveLater(Hold hold) {
		this.coordinator.threads().releases().execute(() -> leave(hold, now()));
	}

	/**
	 * Pass the grant on or release it; return the store's answer if it was asked and gave
	 * one.
	 */
	private @Nullable ReleaseOutcome leave(Hold hold, long now) {
		Claim claim = hold.gate.leave(hold, now);
		return (claim != null) ? release(hold, claim) : null;
	}

	private @Nullable ReleaseOutcome release(Hold hold, Claim claim) {
		Duration standBack = Duration.ZERO;
		boolean interrupted = Thread.interrupted();
		try {
			ReleaseOutcome outcome = this.coordinator.engine().release(claim);
			if (outcome instanceof ReleaseOutcome.Released released) {
				standBack = released.standBack();
			}
			return outcome;
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Lock '%s' is going to be released in the background".formatted(hold.key()), ex);
			this.coordinator.closer().close(claim);
			return null;
		}
		finally {
			hold.gate.released(standBack);
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private LockEvent lost(Hold hold, LossCause cause) {
		return new LockEvent.HoldLost(this.engine, hold.options.name(), hold.key(), hold.fencingToken(), cause);
	}

	private LockEvent ended(Hold hold, long now) {
		return new LockEvent.HoldEnded(this.engine, hold.options.name(), hold.key(), hold.fencingToken(),
				now - hold.since);
	}

	private LockLostException lostException(Hold hold, LossCause cause) {
		return new LockLostException(hold.key(), this.engine, cause, hold.grant.renewalFailure);
	}

	private void logLoss(Hold hold, LossCause cause) {
		Exception failure = hold.grant.renewalFailure;
		logger.warn("Lock '%s' (%s) was lost after %d ms: %s (engine: %s)%s".formatted(hold.key(), hold.options.name(),
				Duration.ofNanos(now() - hold.since).toMillis(), cause.description(), this.engine,
				(failure != null) ? ". Its last renewal failed: " + failure.getMessage() : ""));
	}

	private void runLossAction(Hold hold, Consumer<LockLostException> action) {
		LossCause cause = Objects.requireNonNull(hold.lossCause());
		this.coordinator.threads().losses().execute(() -> {
			try {
				action.accept(lostException(hold, cause));
			}
			catch (Exception | LinkageError | AssertionError ex) {
				logger.warn("An action failed for the loss of lock '%s'".formatted(hold.key()), ex);
			}
		});
	}

	private long now() {
		return this.coordinator.clock().nanoTime();
	}

}
