package io.leasehold.service;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.HandoffKind;
import io.leasehold.event.LockEvent;
import org.jspecify.annotations.Nullable;

/**
 * Takes callers through the gates, blocking or not, and gives them their handles.
 */
final class Acquirer {

	static final Predicate<LockEngineException> NEVER_BYPASSED = (failure) -> false;

	private final Coordinator coordinator;

	private final MonotonicClock clock;

	private final ReleaseTiming timing;

	private final String engine;

	/**
	 * How callers begin that may block. Made once, since one for each call would cost.
	 */
	private final BiConsumer<RemoteClaim, Acquisition> asking = this::askFirst;

	Acquirer(Coordinator coordinator, ReleaseTiming timing) {
		this.coordinator = coordinator;
		this.clock = coordinator.clock();
		this.timing = timing;
		this.engine = coordinator.engine().name();
	}

	Handle acquire(LockKey key, LockOptions options, boolean bound, Predicate<LockEngineException> bypassed) {
		long start = this.clock.nanoTime();
		Thread thread = Thread.currentThread();
		BlockingAcquisition caller = new BlockingAcquisition(key, options, thread, bound, start);
		follow(caller);
		while (true) {
			if (thread.isInterrupted()) {
				caller.fail(new LockInterruptedException(key));
			}
			else if (isReady(caller)) {
				Gate gate = enter(caller, this.asking);
				caller.await(this.clock);
				if (!caller.ended()) {
					giveUp(caller, gate, thread.isInterrupted());
				}
			}
			Handle held = open(caller, bypassed, this.timing);
			if (held != null) {
				return held;
			}
			caller = caller.continuedBy(new BlockingAcquisition(key, options, thread, bound, start));
		}
	}

	CompletableFuture<HeldLock> acquireAsync(LockKey key, LockOptions options, List<HeldLock> outer,
			Predicate<LockEngineException> bypassed) {
		CompletableFuture<HeldLock> result = new CompletableFuture<>();
		AsyncAcquisition caller = new AsyncAcquisition(key, options, outer, bypassed, this.clock.nanoTime(), result,
				this.timing.releases(), this);
		follow(caller);
		begin(caller);
		return result;
	}

	/**
	 * End an acquisition for which threads are missing, before anything was requested.
	 */
	private boolean isReady(Acquisition caller) {
		LockEngineException failure = this.coordinator.start(caller.key);
		if (failure != null) {
			caller.fail(failure);
		}
		return failure == null;
	}

	private void follow(Acquisition caller) {
		caller.followers = this.coordinator.events().follow(this.engine, caller.options.name(), caller.key);
	}

	private void begin(AsyncAcquisition caller) {
		Gate gate = enter(caller, (remote, first) -> work(() -> {
			askFirst(remote, first);
			if (!first.waits()) {
				giveUp(first, remote.gate(), false);
			}
		}));
		if (caller.waits()) {
			caller.stopTimerAtEnd(this.coordinator.threads()
				.schedule(() -> giveUp(caller, gate, false), caller.deadline() - this.clock.nanoTime()));
		}
		caller.result.whenComplete((held, failure) -> {
			if (caller.result.isCancelled()) {
				gate.giveUp(caller, new LockInterruptedException(caller.key));
			}
		});
	}

	/** An async caller has its result: complete its future, which runs its code. */
	void complete(AsyncAcquisition caller) {
		this.coordinator.threads().callers().execute(() -> {
			if (caller.completesNow()) {
				open(caller);
			}
		});
	}

	private void open(AsyncAcquisition caller) {
		try {
			HeldLock held = open(caller, caller.bypassed, () -> caller.releases);
			if (held == null) {
				begin(caller.again());
			}
			else if (!caller.result.complete(held)) {
				this.coordinator.closeAsync(held);
			}
		}
		catch (RuntimeException | Error ex) {
			caller.result.completeExceptionally(ex);
		}
	}

	/** Lead a caller to the gate; the first one there begins to ask the store. */
	private Gate enter(Acquisition caller, BiConsumer<RemoteClaim, Acquisition> begin) {
		while (true) {
			Gate gate = this.coordinator.gate(caller.key);
			Gate.Entry entry = gate.enter(caller);
			if (entry == Gate.Entry.GONE) {
				continue;
			}
			if (entry == Gate.Entry.EXPIRED) {
				loseExpired(gate);
				continue;
			}
			if (entry == Gate.Entry.BUSY) {
				caller.fail(caller.outOfTime(this.engine, caller.start, null, gate.holdOfCaller(caller)));
			}
			if (this.coordinator.isDraining()) {
				gate.giveUp(caller, this.coordinator.refusal(caller.key));
			}
			RemoteClaim remote = (entry == Gate.Entry.FIRST) ? gate.remote() : null;
			if (remote != null) {
				begin.accept(remote, caller);
			}
			else if (entry == Gate.Entry.QUEUED && caller.waits()) {
				startWaiting(gate, caller);
			}
			return gate;
		}
	}

	private void loseExpired(Gate gate) {
		gate.expired().forEach(this.coordinator.holds()::isValid);
	}

	private void askFirst(RemoteClaim remote, Acquisition caller) {
		remote.ask();
		if (caller.waits()) {
			startWaiting(remote.gate(), caller);
		}
	}

	private void startWaiting(Gate gate, Acquisition caller) {
		if (!caller.ended() && gate.startWaiting(caller)) {
			this.coordinator.events()
				.publish(new LockEvent.WaitStarted(this.engine, caller.options.name(), caller.key));
			Hold own = gate.holdOfCaller(caller);
			if (own != null && gate.noteSelfWait(own, caller)) {
				SelfWait.warn(caller, own);
			}
		}
	}

	private void giveUp(Acquisition caller, Gate gate, boolean interrupted) {
		gate.giveUp(caller, interrupted ? new LockInterruptedException(caller.key)
				: caller.outOfTime(this.engine, this.clock.nanoTime(), gate.lastFailure(), gate.holdOfCaller(caller)));
	}

	/**
	 * Turn a caller's result into a handle, or return nothing if the hold was lost since,
	 * or has ended.
	 */
	private @Nullable Handle open(Acquisition caller, Predicate<LockEngineException> bypassed, ReleaseTiming timing) {
		long now = this.clock.nanoTime();
		RuntimeException failure = caller.failure();
		if (failure != null) {
			publishEnd(caller, outcomeOf(failure, bypassed), failure, now);
			throw failure;
		}
		Hold hold = Objects.requireNonNull(caller.hold());
		boolean reentered = hold.isOpened();
		Handle handle = this.coordinator.holds().isValid(hold, now)
				? hold.gate.open(hold, timing.releases(), caller.bound) : null;
		if (handle == null) {
			return null;
		}
		publishEnd(caller, reentered ? AcquireOutcome.REENTERED : AcquireOutcome.ACQUIRED, null, now);
		if (!reentered) {
			handle.acquired();
			this.coordinator.events().tell(hold.followers, (follower) -> follower.holdStarted(hold.fencingToken()));
		}
		if (!reentered && (hold.pass > 0 || hold.grant.pushed)) {
			this.coordinator.events()
				.publish(
						new LockEvent.HandedOff(this.engine, (hold.pass > 0) ? HandoffKind.LOCAL : HandoffKind.PUSHED));
		}
		return handle.announced();
	}

	private void publishEnd(Acquisition caller, AcquireOutcome outcome, @Nullable RuntimeException failure, long now) {
		this.coordinator.events()
			.publish(new LockEvent.AcquireEnded(this.engine, caller.options.name(), caller.key, outcome, caller.waited,
					now - caller.start, failure));
		this.coordinator.events().tell(caller.followers, (follower) -> follower.acquireEnded(outcome, failure));
	}

	private static AcquireOutcome outcomeOf(RuntimeException failure, Predicate<LockEngineException> bypassed) {
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

	private void work(Runnable task) {
		this.coordinator.threads().workers().execute(task);
	}

}
