package io.leasehold.service;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.HandoffKind;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Everything one engine's locks need inside this process. Takes callers through the gates
 * to the engine and back, and tells the listeners. Thread-safe.
 */
final class Coordinator implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Coordinator.class);

	private final ServiceSettings settings;

	private final LockEngine engine;

	private final Member member;

	private final MonotonicClock clock;

	private final ReleaseTiming timing;

	private final boolean storeKeepsMinHold;

	private final EngineThreads threads;

	private final Events events;

	private final ClaimCloser closer;

	private final Watchdog watchdog;

	private final ConcurrentHashMap<LockKey, Gate> gates = new ConcurrentHashMap<>();

	private final AtomicReference<@Nullable Runnable> whenIdle = new AtomicReference<>();

	private volatile boolean draining;

	Coordinator(ServiceSettings settings, LockEngine engine, Member member, MonotonicClock clock,
			List<? extends LockEventListener> listeners, ReleaseTiming timing) {
		this.settings = settings;
		this.engine = engine;
		this.member = member;
		this.clock = clock;
		this.timing = timing;
		this.storeKeepsMinHold = engine.capabilities().contains(Capability.MIN_HOLD);
		this.threads = new EngineThreads(engine.name());
		this.events = new Events(listeners, this.threads);
		this.closer = new ClaimCloser(engine, clock, this.threads, this::checkIdle);
		this.watchdog = new Watchdog(this, clock, this.threads);
	}

	LockEngine engine() {
		return this.engine;
	}

	MonotonicClock clock() {
		return this.clock;
	}

	EngineThreads threads() {
		return this.threads;
	}

	Events events() {
		return this.events;
	}

	ClaimCloser closer() {
		return this.closer;
	}

	Watchdog watchdog() {
		return this.watchdog;
	}

	Collection<Gate> gates() {
		return this.gates.values();
	}

	/** Refuse options that this engine cannot serve. */
	Coordinator check(LockOptions options) {
		if (options.lease().compareTo(this.engine.minLease()) < 0) {
			throw new IllegalArgumentException("Lease %s of lock '%s' is shorter than the %s that engine '%s' needs"
				.formatted(options.lease(), options.name(), this.engine.minLease(), this.engine.name()));
		}
		return this;
	}

	HeldLock acquire(LockKey key, LockOptions options, boolean bound) {
		long start = this.clock.nanoTime();
		Thread thread = Thread.currentThread();
		while (true) {
			BlockingAcquisition caller = new BlockingAcquisition(key, options, thread, bound, start);
			if (thread.isInterrupted()) {
				caller.fail(new LockInterruptedException(key));
			}
			else {
				Gate gate = enter(caller, this::askFirst);
				caller.await(this.clock);
				if (!caller.ended()) {
					giveUp(caller, gate, thread.isInterrupted());
				}
			}
			HeldLock held = open(caller, this.timing.releases());
			if (held != null) {
				return held;
			}
		}
	}

	CompletableFuture<HeldLock> acquireAsync(LockKey key, LockOptions options) {
		CompletableFuture<HeldLock> result = new CompletableFuture<>();
		acquireAsync(new AsyncAcquisition(key, options, this.clock.nanoTime(), result, this.timing.releases(), this));
		return result;
	}

	private void acquireAsync(AsyncAcquisition caller) {
		Gate gate = enter(caller, (remote, first) -> this.threads.workers().execute(() -> {
			askFirst(remote, first);
			if (!first.waits()) {
				giveUp(first, remote.gate(), false);
			}
		}));
		if (caller.waits()) {
			caller.giveUpAfter(caller.deadline - this.clock.nanoTime(), () -> giveUp(caller, gate, false));
		}
		caller.result.whenComplete((held, failure) -> {
			if (caller.result.isCancelled()) {
				gate.giveUp(caller, new LockInterruptedException(caller.key));
			}
		});
	}

	/** An async caller has its result. */
	void complete(AsyncAcquisition caller) {
		caller.stopTimer();
		try {
			HeldLock held = open(caller, caller.releases);
			if (held == null) {
				acquireAsync(new AsyncAcquisition(caller.key, caller.options, caller.start, caller.result,
						caller.releases, this));
			}
			else if (!caller.result.complete(held)) {
				held.close();
			}
		}
		catch (RuntimeException ex) {
			caller.result.completeExceptionally(ex);
		}
	}

	/** Lead a caller to the gate; the first one there begins to ask the store. */
	private Gate enter(Acquisition caller, BiConsumer<RemoteClaim, Acquisition> begin) {
		while (true) {
			Gate gate = this.gates.computeIfAbsent(caller.key, (key) -> new Gate(key, this));
			Gate.Entry entry = gate.enter(caller);
			if (entry == Gate.Entry.GONE) {
				continue;
			}
			if (entry == Gate.Entry.EXPIRED) {
				lose(gate);
				continue;
			}
			if (entry == Gate.Entry.BUSY) {
				caller.fail(new LockBusyException(caller.key, this.engine.name(), Duration.ZERO));
			}
			if (this.draining) {
				gate.giveUp(caller, refusal(caller.key));
			}
			RemoteClaim remote = (entry == Gate.Entry.FIRST) ? gate.remote() : null;
			if (remote != null) {
				begin.accept(remote, caller);
			}
			else if (entry == Gate.Entry.QUEUED) {
				startWaiting(gate, caller);
			}
			return gate;
		}
	}

	private void askFirst(RemoteClaim remote, Acquisition caller) {
		remote.ask();
		if (caller.waits()) {
			startWaiting(remote.gate(), caller);
		}
	}

	private void giveUp(Acquisition caller, Gate gate, boolean interrupted) {
		gate.giveUp(caller, reasonToGiveUp(caller, gate, interrupted));
	}

	private void startWaiting(Gate gate, Acquisition caller) {
		if (!caller.ended() && gate.startWaiting(caller)) {
			this.events.publish(new LockEvent.WaitStarted(this.engine.name(), caller.options.name(), caller.key));
		}
	}

	private RuntimeException reasonToGiveUp(Acquisition caller, Gate gate, boolean interrupted) {
		if (interrupted) {
			return new LockInterruptedException(caller.key);
		}
		Duration waited = Duration.ofNanos(this.clock.nanoTime() - caller.start);
		LockEngineException failure = gate.lastFailure();
		if (failure == null) {
			return new LockBusyException(caller.key, this.engine.name(), waited);
		}
		return new LockEngineException(caller.key, "Lock '%s' could not be asked for within %d ms (engine: %s): %s"
			.formatted(caller.key, waited.toMillis(), this.engine.name(), failure.getMessage()), failure);
	}

	private static LockEngineException refusal(LockKey key) {
		return new LockEngineException(key, "Lock '%s' is refused: the application is shutting down".formatted(key),
				null, false);
	}

	/**
	 * Turn a caller's result into a handle, or return nothing if the hold was lost since.
	 */
	private @Nullable HeldLock open(Acquisition caller, Executor releases) {
		RuntimeException failure = caller.failure();
		if (failure != null) {
			publishEnd(caller, outcomeOf(failure));
			throw failure;
		}
		Hold hold = Objects.requireNonNull(caller.hold());
		boolean reentered = hold.isOpened();
		if (!hold.grant.isValid(this.clock.nanoTime())) {
			expired(hold);
		}
		Object life = hold.gate.open(hold);
		if (life == null) {
			return null;
		}
		publishEnd(caller, reentered ? AcquireOutcome.REENTERED : AcquireOutcome.ACQUIRED);
		if (!reentered && (hold.pass > 0 || hold.grant.pushed)) {
			this.events.publish(new LockEvent.HandedOff(this.engine.name(),
					(hold.pass > 0) ? HandoffKind.LOCAL : HandoffKind.PUSHED));
		}
		return new Handle(this, hold, life, releases);
	}

	private void publishEnd(Acquisition caller, AcquireOutcome outcome) {
		this.events.publish(new LockEvent.AcquireEnded(this.engine.name(), caller.options.name(), caller.key, outcome,
				caller.waited, this.clock.nanoTime() - caller.start));
	}

	/** Tell of an acquisition that never came to a gate. */
	void publishEnd(@Nullable LockKey key, LockOptions options, AcquireOutcome outcome) {
		this.events.publish(new LockEvent.AcquireEnded(this.engine.name(), options.name(), key, outcome, false, 0));
	}

	private static AcquireOutcome outcomeOf(RuntimeException failure) {
		if (failure instanceof LockBusyException) {
			return AcquireOutcome.BUSY;
		}
		if (failure instanceof LockInterruptedException) {
			return AcquireOutcome.INTERRUPTED;
		}
		return (failure instanceof LockEngineException) ? AcquireOutcome.UNAVAILABLE : AcquireOutcome.ERROR;
	}

	RemoteClaim newClaim(Gate gate, Acquisition caller) {
		return new RemoteClaim(this, gate, new Claim(gate.key, this.member.newOwner(), caller.options.lease(),
				storeMinHold(caller), caller.waits(), this.clock.nanoTime()));
	}

	/** What the store is to keep closed for a caller. */
	Duration storeMinHold(Acquisition caller) {
		return this.storeKeepsMinHold ? caller.options.minHold() : Duration.ZERO;
	}

	/** Whether a hold's grant may go to the next caller without asking the store. */
	boolean mayPass(Hold closed, Acquisition next, long now) {
		return !this.draining && closed.pass < this.settings.maxHandoffs()
				&& now - closed.grant.since < this.settings.maxHandoffTime().toNanos()
				&& next.options.minHold().isZero() && minHoldRest(closed, now) <= 0
				&& closed.grant.remaining(now) >= next.options.lease().toNanos() / 2;
	}

	private static long minHoldRest(Hold hold, long now) {
		return hold.since + hold.options.minHold().toNanos() - now;
	}

	boolean isValid(Hold hold) {
		if (hold.lossCause() != null) {
			return false;
		}
		if (hold.grant.isValid(this.clock.nanoTime())) {
			return true;
		}
		expired(hold);
		return false;
	}

	Duration remaining(Hold hold) {
		return isValid(hold) ? Duration.ofNanos(hold.grant.remaining(this.clock.nanoTime())) : Duration.ZERO;
	}

	void onLost(Hold hold, Consumer<LockLostException> action) {
		if (hold.gate.onLost(hold, action)) {
			runLossAction(hold, action);
		}
	}

	/** A handle was closed. */
	void close(Hold hold) {
		isValid(hold);
		if (!hold.gate.close(hold)) {
			return;
		}
		long held = this.clock.nanoTime() - hold.since;
		long rest = this.storeKeepsMinHold ? 0 : minHoldRest(hold, this.clock.nanoTime());
		if (rest > 0) {
			this.threads.scheduleWork(() -> leave(hold), Duration.ofNanos(rest));
		}
		else if (leave(hold) instanceof ReleaseOutcome.NotOwner) {
			hold.gate.lostBeforeRelease(hold);
			logLoss(hold);
			this.events.publish(lost(hold, LossCause.NOT_OWNER));
		}
		this.events.publish(new LockEvent.HoldEnded(this.engine.name(), hold.options.name(), hold.key(),
				hold.fencingToken(), held));
	}

	/**
	 * Pass the grant on or release it; return the store's answer if it was asked and gave
	 * one.
	 */
	private @Nullable ReleaseOutcome leave(Hold hold) {
		RemoteClaim remote = hold.gate.leave(hold);
		if (remote == null) {
			return null;
		}
		Duration standBack = Duration.ZERO;
		boolean interrupted = Thread.interrupted();
		try {
			ReleaseOutcome outcome = this.engine.release(remote.claim());
			if (outcome instanceof ReleaseOutcome.Released released) {
				standBack = released.standBack();
			}
			return outcome;
		}
		catch (RuntimeException ex) {
			logger.debug("Lock '%s' is going to be released in the background".formatted(hold.key()), ex);
			this.closer.close(remote.claim());
			return null;
		}
		finally {
			hold.gate.released(standBack);
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	void throwIfLost(Hold hold) {
		LossCause cause = hold.lossCause();
		if (cause != null && this.settings.onLost() != OnLost.WARN) {
			throw new LockLostException(hold.key(), this.engine.name(), cause);
		}
	}

	/** The validity of a hold's grant has run out. */
	void expired(Hold hold) {
		boolean renewed = hold.isRenewable(this.clock.nanoTime());
		lose(hold.gate, hold.grant, renewed ? LossCause.EXPIRED : LossCause.MAX_HOLD);
	}

	private void lose(Gate gate) {
		Hold hold = gate.hold();
		if (hold != null) {
			isValid(hold);
		}
	}

	void lose(Gate gate, Grant grant, LossCause cause) {
		Gate.Loss loss = gate.lose(grant, cause);
		if (loss == null) {
			return;
		}
		Hold hold = loss.hold();
		if (loss.close()) {
			this.closer.closeAfter(grant.remote.claim(), loss.rest());
		}
		if (!hold.isOpened() || hold.isClosed()) {
			return;
		}
		logLoss(hold);
		loss.actions().forEach((action) -> runLossAction(hold, action));
		this.events.publishLater(lost(hold, cause));
		this.events.publishLater(new LockEvent.HoldEnded(this.engine.name(), hold.options.name(), hold.key(),
				hold.fencingToken(), this.clock.nanoTime() - hold.since));
	}

	private LockEvent lost(Hold hold, LossCause cause) {
		return new LockEvent.HoldLost(this.engine.name(), hold.options.name(), hold.key(), hold.fencingToken(), cause);
	}

	private void logLoss(Hold hold) {
		LossCause cause = hold.lossCause();
		logger.warn("Lock '%s' (%s) was lost after %d ms: %s (engine: %s)".formatted(hold.key(), hold.options.name(),
				Duration.ofNanos(this.clock.nanoTime() - hold.since).toMillis(),
				(cause != null) ? cause.description() : "", this.engine.name()));
	}

	private void runLossAction(Hold hold, Consumer<LockLostException> action) {
		LossCause cause = Objects.requireNonNull(hold.lossCause());
		this.threads.workers().execute(() -> {
			try {
				action.accept(new LockLostException(hold.key(), this.engine.name(), cause));
			}
			catch (Exception | LinkageError | AssertionError ex) {
				logger.warn("An action failed for the loss of lock '%s'".formatted(hold.key()), ex);
			}
		});
	}

	void remove(Gate gate) {
		this.gates.remove(gate.key, gate);
		checkIdle();
	}

	/** Refuse callers from now on; run the action once nothing is held any more. */
	void drain(Runnable action) {
		this.draining = true;
		this.whenIdle.set(action);
		for (Gate gate : gates()) {
			gate.failed(refusal(gate.key));
			gate.dropClosed();
		}
		checkIdle();
	}

	private void checkIdle() {
		if (this.draining && this.gates.isEmpty() && this.closer.hasTriedAll()) {
			Runnable action = this.whenIdle.getAndSet(null);
			if (action != null) {
				action.run();
			}
		}
	}

	@Override
	public void close() {
		drain(() -> {
		});
		for (Gate gate : gates()) {
			Hold hold = gate.hold();
			if (hold != null) {
				lose(gate, hold.grant, LossCause.SHUTDOWN);
			}
		}
		this.threads.close();
	}

}
