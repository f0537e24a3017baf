package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.service.gate.Decision;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;
import io.leasehold.service.gate.Refusals;
import io.leasehold.service.gate.StoreClaim;
import io.leasehold.service.gate.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * Acquisition of locks at their gates, blocking or not, and opening of their handles.
 */
record Acquirer(MonotonicClock clock, EngineThreads threads, BlockingWaiter.Factory waiters, Gates gates,
		GateDriver driver, Holds holds, LockCloser closer, HolderLookup holders, ReleaseTiming timing, Reports reports,
		Deadlocks deadlocks) {

	static final Predicate<LockException> NEVER_BYPASSED = (reason) -> false;

	/** For callers that treat a busy lock as a regular result. */
	static final Predicate<LockException> BUSY_BYPASSED = LockBusyException.class::isInstance;

	/** Return an acquirer of locks whose release does not wait for a transaction. */
	Acquirer releasingAtOnce() {
		return new Acquirer(this.clock, this.threads, this.waiters, this.gates, this.driver, this.holds, this.closer,
				this.holders, ReleaseTiming.IMMEDIATE, this.reports, this.deadlocks);
	}

	/** Return options with the rest of their wait time. */
	LockOptions rest(LockOptions options, long start) {
		Duration rest = options.waitTime().minusNanos(this.clock.nanoTime() - start);
		return options.toBuilder().waitTime(rest.isNegative() ? Duration.ZERO : rest).build();
	}

	/**
	 * Acquire a lock in the caller's thread.
	 * @param bound whether the lock ends when its thread dies
	 */
	Handle acquire(LockKey key, LockOptions options, boolean bound, Predicate<LockException> bypassed) {
		BlockingWaiter waiter = this.waiters.create(key, options, Thread.currentThread(), bound, this.clock.nanoTime());
		this.reports.begun(waiter);
		while (true) {
			try {
				KeyGate gate = isReady(waiter) ? enter(waiter) : null;
				if (gate != null && !waiter.hasEnded()) {
					await(waiter, gate);
				}
				Handle held = open(waiter, gate, bypassed, this.timing);
				if (held != null) {
					return held;
				}
			}
			finally {
				this.deadlocks.end(waiter);
			}
			waiter = waiter.again(); // the lock was lost before its caller could use it
		}
	}

	/**
	 * Return whether the current thread may enter a gate. Otherwise its acquisition fails
	 * before any request: it is interrupted, or the threads that locks need do not start.
	 */
	private boolean isReady(BlockingWaiter waiter) {
		RuntimeException failure = Thread.currentThread().isInterrupted() ? new LockInterruptedException(waiter.key())
				: start(waiter.key());
		if (failure != null) {
			waiter.fail(failure);
		}
		return failure == null;
	}

	/** Wait for the result of a caller, or end its wait. */
	private void await(BlockingWaiter waiter, KeyGate gate) {
		waiter.await(this.clock);
		if (Thread.currentThread().isInterrupted()) {
			interrupted(waiter, gate);
		}
		else if (!waiter.hasEnded()) {
			timedOut(waiter, gate);
		}
	}

	/** Return the current thread as the caller of a later {@link #acquireAsync}. */
	AsyncWaiter.Caller caller(List<HeldLock> outer, Predicate<LockException> bypassed) {
		return new AsyncWaiter.Caller(Thread.currentThread().getName(), outer, bypassed, this.timing.releases());
	}

	/** Acquire a lock without blocking, or re-enter one of the caller's outer locks. */
	CompletableFuture<HeldLock> acquireAsync(LockKey key, LockOptions options, AsyncWaiter.Caller caller) {
		CompletableFuture<HeldLock> result = new CompletableFuture<>();
		AsyncWaiter waiter = new AsyncWaiter(key, options, caller, this.clock.nanoTime(), result, this::complete);
		this.reports.begun(waiter);
		try {
			begin(waiter);
		}
		catch (RuntimeException | Error ex) {
			result.completeExceptionally(ex); // a lock that is granted later is released
		}
		return result;
	}

	/**
	 * Start the threads that locks need, unless they were started before. All of them
	 * must exist while a lock is held or awaited.
	 * @return why the lock must not be acquired, or {@code null}
	 */
	@Nullable LockEngineException start(LockKey key) {
		try {
			this.threads.start();
			return null;
		}
		catch (OutOfMemoryError ex) {
			return new LockEngineException(key,
					("Lock '%s' was not acquired: the threads that"
							+ " would renew it could not be started: %s (engine: %s)")
						.formatted(key, ex.getMessage(), this.holds.engine()),
					ex);
		}
	}

	private void begin(AsyncWaiter waiter) {
		KeyGate gate = enter(waiter);
		if (waiter.waits()) {
			waiter.stopTimerAtEnd(
					this.threads.schedule(() -> timedOut(waiter, gate), waiter.deadline() - this.clock.nanoTime()));
		}
		waiter.result.whenComplete((held, failure) -> {
			if (!waiter.hasEnded()) {
				interrupted(waiter, gate); // cancelled or completed by its caller
			}
		});
	}

	/** Complete the future of an async caller with its result, which runs user code. */
	private void complete(AsyncWaiter waiter) {
		this.threads.callers().execute(() -> open(waiter));
	}

	private void open(AsyncWaiter waiter) {
		try {
			// A key keeps the gate that granted it while it is held
			HeldLock held = open(waiter, this.gates.find(waiter.key()), waiter.caller.bypassed(),
					waiter.caller::releases);
			if (held == null) {
				begin(waiter.again());
			}
			else if (!waiter.result.complete(held)) {
				this.closer.discardAsync(held);
			}
		}
		catch (RuntimeException | Error ex) {
			waiter.result.completeExceptionally(ex);
		}
	}

	/** Enter the gate of the waiter's key, and begin to request the key or to wait. */
	private KeyGate enter(Waiter waiter) {
		while (true) {
			KeyGate gate = this.gates.gate(waiter.key(), waiter.options());
			Decision decision = gate.enter(waiter);
			try {
				this.driver.carryOut(gate, decision);
				if (!decision.entersAgain()) {
					request(waiter, gate, decision);
					return gate;
				}
			}
			catch (RuntimeException | Error ex) {
				// Such as of a full stack: the queue must not keep a caller that is gone
				giveUp(waiter, gate, new LockEngineException(waiter.key(), String.valueOf(ex), ex));
				throw ex;
			}
			gate.held().forEach((held) -> this.holds.isValid(gate, held.hold()));
		}
	}

	private void request(Waiter waiter, KeyGate gate, Decision decision) {
		if (!waiter.options().linger().isZero() && !waiter.hasEnded()) {
			this.driver.subscribeToRecalls();
		}
		StoreClaim first = decision.first();
		if (first == null) {
			startWaiting(gate, waiter, decision);
		}
		else if (waiter.thread() != null) {
			startWaiting(gate, waiter, this.driver.send(gate, first));
		}
		else {
			this.threads.workers().execute(() -> requestFirst(gate, first, waiter));
		}
	}

	/** Send the first request of an async caller, in a thread of the library. */
	private void requestFirst(KeyGate gate, StoreClaim claim, Waiter waiter) {
		if (gate.begin(claim)) {
			startWaiting(gate, waiter, this.driver.send(gate, claim));
		}
		if (!waiter.waits() && !waiter.hasEnded() && !waiter.awaitsTurn()) {
			timedOut(waiter, gate);
		}
	}

	private void startWaiting(KeyGate gate, Waiter waiter, Decision decision) {
		if (decision.startsWait()) {
			this.reports.waits(waiter);
			if (decision.selfWait() != null) {
				Refusals.warnOfSelfWait(waiter, decision.selfWait(), this.holds.engine());
			}
			LockBusyException deadlock = this.deadlocks.begin(waiter, gate, this.clock.nanoTime());
			if (deadlock != null) {
				giveUp(waiter, gate, deadlock);
			}
		}
	}

	private void timedOut(Waiter waiter, KeyGate gate) {
		this.deadlocks.timesOut(waiter);
		giveUp(waiter, gate, null);
	}

	private void interrupted(Waiter waiter, KeyGate gate) {
		giveUp(waiter, gate, new LockInterruptedException(waiter.key()));
	}

	private void giveUp(Waiter waiter, KeyGate gate, @Nullable RuntimeException reason) {
		this.driver.carryOut(gate, gate.gaveUp(waiter, reason));
	}

	/**
	 * Open a handle, or return {@code null} if the hold has ended or was lost. Throw the
	 * exception of a failed acquisition.
	 */
	private @Nullable Handle open(Waiter waiter, @Nullable KeyGate gate, Predicate<LockException> bypassed,
			ReleaseTiming timing) {
		long now = this.clock.nanoTime();
		if (waiter.waited()) {
			this.reports.waits(waiter);
		}
		RuntimeException failure = waiter.failure();
		if (failure != null) {
			this.reports.failed(waiter, failure, bypassed, now);
			if (failure instanceof LockBusyException busy) {
				throw bypassed.test(busy) ? this.holders.logged(busy)
						: this.holders.explain(busy, waiter.options(), waiter.outer(), this.deadlocks.describe(waiter));
			}
			throw failure;
		}
		Hold hold = Objects.requireNonNull(waiter.hold());
		boolean reentered = hold.isOpened();
		Handle handle = (gate != null && this.holds.isValid(gate, hold, now))
				? Handle.open(this.holds, gate, hold, timing.releases(), waiter.isBound()) : null;
		if (handle == null) {
			return null;
		}
		this.reports.acquired(waiter, reentered, now);
		if (!reentered) {
			handle.acquired();
			this.reports.started(hold);
		}
		return handle.announced();
	}

}
