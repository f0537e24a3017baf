package io.leasehold.service;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * A gate's claim at the store, from the first request until it is granted or given up: a
 * state machine moved by answers, signals and timers, not a thread. At most one request
 * is under way. All fields are guarded by the gate's monitor, which is never held across
 * a request.
 */
final class RemoteClaim {

	private static final long LEAST_BACKOFF = 20_000_000;

	private static final long MOST_BACKOFF = 1_000_000_000;

	private final Gate gate;

	private Claim claim;

	private boolean asking;

	private boolean askAgain;

	private boolean over;

	/**
	 * How long the claim is left alone once its request has been answered, if it is to be
	 * closed then.
	 */
	private @Nullable Duration closeAfterAnswer;

	/** Whether the store has answered once, or failed to. */
	private boolean answered;

	/** Whether the store may know more of the claim than its last answer said. */
	private boolean ambiguous;

	/**
	 * When the last request was sent that was answered, or the first one: what is pushed
	 * was granted later.
	 */
	private long lastSent;

	/** Checks that found nothing under way; of the self-check. */
	private int suspected;

	private int failures;

	private @Nullable LockEngineException failure;

	private @Nullable Waiting ear;

	private @Nullable Future<?> timer;

	RemoteClaim(Gate gate, Claim claim) {
		this.gate = gate;
		this.claim = claim;
		this.lastSent = claim.since();
	}

	Gate gate() {
		return this.gate;
	}

	Claim claim() {
		return this.claim;
	}

	/** Whether a request is under way. */
	boolean isAsking() {
		return this.asking;
	}

	boolean isAnswered() {
		return this.answered;
	}

	/** The last request's failure, if it was not answered. */
	@Nullable LockEngineException failure() {
		return this.failure;
	}

	/** Make one request in this thread, unless one is under way. */
	void ask() {
		Claim asked;
		long sent;
		synchronized (this.gate) {
			if (this.over) {
				return;
			}
			if (this.asking) {
				this.askAgain = true;
				return;
			}
			stopTimer();
			this.asking = true;
			this.askAgain = false;
			asked = this.claim;
			sent = this.answered ? this.gate.coordinator.clock().nanoTime() : asked.since();
		}
		Attempt answer = null;
		LockEngineException thrown = null;
		try {
			answer = this.gate.coordinator.engine().tryAcquire(asked);
		}
		catch (LockEngineException ex) {
			thrown = ex;
		}
		catch (RuntimeException | Error ex) {
			thrown = new LockEngineException(asked.key(), "Engine '%s' failed to ask for lock '%s'"
				.formatted(this.gate.coordinator.engine().name(), asked.key()), ex, false);
		}
		wake(settle(asked, sent, answer, thrown));
	}

	private @Nullable Acquisition settle(Claim asked, long sent, @Nullable Attempt answer,
			@Nullable LockEngineException thrown) {
		synchronized (this.gate) {
			this.asking = false;
			if (this.over) {
				if (this.closeAfterAnswer != null) {
					this.gate.coordinator.closer().closeAfter(this.claim, this.closeAfterAnswer);
				}
			}
			else if (thrown != null) {
				failed(thrown);
			}
			else if (answer instanceof Attempt.Granted granted) {
				return granted(granted, sent, false);
			}
			else if (answer instanceof Attempt.Busy busy) {
				this.lastSent = sent;
				busy(asked, busy);
			}
			else if (answer instanceof Attempt.Contradicted contradicted) {
				this.gate.contradicted(asked.access(), contradicted.held());
			}
			return null;
		}
	}

	/** Not inside the gate, whose monitor is the first thing that the caller needs. */
	private static void wake(@Nullable Acquisition granted) {
		if (granted != null) {
			granted.wake();
		}
	}

	/** Ask later, in a thread of the library. */
	void askIn(Duration delay) {
		stopTimer();
		EngineThreads threads = this.gate.coordinator.threads();
		if (delay.isZero()) {
			threads.workers().execute(this::ask);
		}
		else {
			this.timer = threads.schedule(this::ask, delay, threads.workers());
		}
	}

	/**
	 * Send a request if none is under way nor planned for several checks.
	 * @return whether that was necessary
	 */
	boolean repair() {
		boolean idle = !this.asking && (this.timer == null || this.timer.isDone());
		this.suspected = idle ? this.suspected + 1 : 0;
		if (this.suspected < SelfCheck.PATIENCE) {
			return false;
		}
		this.suspected = 0;
		askIn(Duration.ZERO);
		return true;
	}

	/** Wait from now on, for a caller that came after the one for which it was made. */
	void keepWaiting() {
		if (!this.claim.waits()) {
			this.claim = this.claim.waiting();
			this.askAgain = true;
			if (!this.asking) {
				askIn(Duration.ZERO);
			}
		}
	}

	/** Nobody wants the key any more: leave nothing behind. */
	void abandon() {
		stop();
		if (this.asking) {
			this.closeAfterAnswer = Duration.ZERO;
		}
		else if (this.ambiguous || this.claim.waits()) {
			this.gate.coordinator.closer().close(this.claim);
		}
	}

	/**
	 * The grant is given up. Return whether the claim may be released after the given
	 * time; otherwise that time begins when the request has been answered that is still
	 * under way.
	 */
	boolean mayRelease(Duration rest) {
		this.closeAfterAnswer = this.asking ? rest : null;
		return !this.asking;
	}

	/** Return the caller that has the key now, unless it came too late. */
	private @Nullable Acquisition granted(Attempt.Granted granted, long sent, boolean pushed) {
		long now = this.gate.coordinator.clock().nanoTime();
		if (granted.validUntil() - now <= 0) {
			this.ambiguous = true;
			askIn(Duration.ZERO);
			return null;
		}
		stop();
		return this.gate.granted(this, granted, sent, now, pushed);
	}

	private void busy(Claim asked, Attempt.Busy busy) {
		this.failure = null;
		this.failures = 0;
		if (!wasAwaited(null)) {
			return;
		}
		if (this.ear == null && asked.waits()) {
			Waiting opened = this.gate.coordinator.engine().enqueue(asked, this::signalled);
			if (this.over) {
				opened.close();
				return;
			}
			this.ear = opened;
		}
		askIn(this.askAgain ? Duration.ZERO : busy.retryIn());
	}

	private void failed(LockEngineException thrown) {
		this.failure = thrown;
		this.ambiguous = true;
		if (!thrown.isRetryable()) {
			this.gate.failed(thrown);
		}
		else if (wasAwaited(thrown)) {
			askIn(backoff());
		}
	}

	/**
	 * Tell those of the first answer who do not wait for the key.
	 * @return whether the claim was one that waits, and goes on
	 */
	private boolean wasAwaited(@Nullable LockEngineException failure) {
		boolean waits = this.claim.waits();
		if (!this.answered) {
			this.answered = true;
			this.gate.attempted(failure);
		}
		return waits && !this.over;
	}

	private Duration backoff() {
		long most = Math.min(MOST_BACKOFF, LEAST_BACKOFF << Math.min(this.failures++, 6));
		return Duration.ofNanos(ThreadLocalRandom.current().nextLong(most / 2, most));
	}

	private void signalled(Signal signal) {
		Acquisition granted = null;
		synchronized (this.gate) {
			if (this.over) {
				return;
			}
			if (signal instanceof Signal.Pushed pushed) {
				granted = granted(pushed.grant(), this.lastSent, true);
			}
			else if (this.asking) {
				this.askAgain = true;
			}
			else {
				askIn(Duration.ZERO);
			}
		}
		wake(granted);
	}

	private void stop() {
		this.over = true;
		stopTimer();
		if (this.ear != null) {
			this.ear.close();
			this.ear = null;
		}
	}

	private void stopTimer() {
		if (this.timer != null) {
			this.timer.cancel(false);
			this.timer = null;
		}
	}

}
