package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * The one way to a key inside this process, there as long as the key is held or awaited
 * here. Its callers queue in order of arrival, and all of them share one claim at the
 * store, which stays in place when the caller for whom it was made gives up.
 * <p>
 * Guarded by its own monitor, which is never held across a store call or user code.
 */
final class Gate {

	/** What a caller finds. */
	enum Entry {

		/** The thread holds the key already. */
		REENTERED,

		/** The caller is the first one and makes the claim's first request. */
		FIRST,

		/** The present hold has expired unnoticed and is to be lost first. */
		EXPIRED,

		/** Others are before the caller. */
		QUEUED,

		/** Others are before the caller, which does not want to wait. */
		BUSY,

		/** The gate was just taken down. */
		GONE

	}

	final LockKey key;

	private final Coordinator coordinator;

	private final WaitQueue queue = new WaitQueue();

	private @Nullable RemoteClaim remote;

	private @Nullable Hold hold;

	private boolean releasing;

	private boolean gone;

	Gate(LockKey key, Coordinator coordinator) {
		this.key = key;
		this.coordinator = coordinator;
	}

	/** The present hold, if the key is held here. */
	synchronized @Nullable Hold hold() {
		return this.hold;
	}

	/** Whether nobody is left who could release a hold. */
	synchronized boolean isAbandoned(Hold held) {
		return this.hold == held && held.isAbandoned();
	}

	/** Note that a hold lasts too long; return whether that is still to be told. */
	synchronized boolean noteSlow(Hold held) {
		return held.noteSlow();
	}

	/** Why the store did not answer the last request, if it did not. */
	synchronized @Nullable LockEngineException lastFailure() {
		return (this.remote != null) ? this.remote.failure() : null;
	}

	synchronized @Nullable RemoteClaim remote() {
		return this.remote;
	}

	/** Tell operators what is held and awaited here. */
	synchronized void describe(Survey survey) {
		String engine = this.coordinator.engine().name();
		long now = this.coordinator.clock().nanoTime();
		AtomicInteger waiting = new AtomicInteger();
		this.queue.forEach((caller) -> {
			if (caller.waited) {
				waiting.incrementAndGet();
				survey.waits(engine, caller, now);
			}
		});
		if (this.hold != null && this.hold.isOpened() && !this.hold.isClosed()) {
			survey.held(engine, this.hold, now, waiting.get());
		}
	}

	synchronized Entry enter(Acquisition caller) {
		if (this.gone) {
			return Entry.GONE;
		}
		if (this.hold != null && !this.hold.grant.isValid(this.coordinator.clock().nanoTime())) {
			return Entry.EXPIRED;
		}
		if (this.hold != null && this.hold.mayBeReenteredBy(caller)) {
			caller.succeed(this.hold);
			return Entry.REENTERED;
		}
		boolean first = this.hold == null && this.remote == null && !this.releasing;
		if (!first && !caller.waits()) {
			return Entry.BUSY;
		}
		this.queue.add(caller);
		if (!first) {
			return Entry.QUEUED;
		}
		this.remote = this.coordinator.newClaim(this, caller);
		return Entry.FIRST;
	}

	/** Note that a caller begins to wait, unless it has a result already. */
	synchronized boolean startWaiting(Acquisition caller) {
		if (caller.waited || caller.ended()) {
			return false;
		}
		caller.waited = true;
		return true;
	}

	/** End a caller's wait, unless it has a result already. */
	synchronized void giveUp(Acquisition caller, RuntimeException reason) {
		if (caller.ended()) {
			return;
		}
		this.queue.remove(caller);
		caller.fail(reason);
		if (this.remote != null) {
			headMayHaveChanged(this.remote);
		}
	}

	/** End the wait of all callers. */
	synchronized void failed(LockEngineException reason) {
		Acquisition caller;
		while ((caller = this.queue.peek()) != null) {
			this.queue.remove(caller);
			caller.fail(new LockEngineException(this.key, String.valueOf(reason.getMessage()), reason,
					reason.isRetryable()));
		}
		if (this.remote != null) {
			headMayHaveChanged(this.remote);
		}
	}

	/**
	 * The store granted the claim: to the first caller, for a claim without is given up.
	 */
	synchronized void granted(RemoteClaim granted, Attempt.Granted answer, boolean pushed) {
		long now = this.coordinator.clock().nanoTime();
		Grant grant = new Grant(granted, answer.number(), now, answer.validUntil(), pushed);
		hand(grant, Objects.requireNonNull(this.queue.peek()), 0, now);
	}

	/** Forget a hold that only stays for its min hold, and leave its key to the lease. */
	synchronized void dropClosed() {
		if (this.hold != null && this.hold.isClosed()
				&& this.hold.minHoldRest(this.coordinator.clock().nanoTime()) > 0) {
			this.hold.grant.end();
			this.hold = null;
			proceed(Duration.ZERO);
		}
	}

	/**
	 * Count a handle more of a hold that a caller was given, unless it was lost since.
	 */
	synchronized @Nullable Object open(Hold opened) {
		return (this.hold == opened) ? opened.addHandle() : null;
	}

	/** Count a handle less, and return whether the hold is to be released. */
	synchronized boolean close(Hold closing) {
		if (!closing.removeHandle() || this.hold != closing) {
			return false;
		}
		closing.close();
		return true;
	}

	/**
	 * Let go of a closed hold: to the next caller if the grant may be passed on,
	 * otherwise return the claim that has to be released at the store. A grant that came
	 * with a short lease, which is just being extended, waits for that.
	 */
	synchronized @Nullable RemoteClaim leave(Hold closed) {
		if (this.hold != closed) {
			return null;
		}
		long now = this.coordinator.clock().nanoTime();
		Acquisition next = this.queue.peek();
		if (next != null && this.coordinator.mayPass(closed, next, now)) {
			if (closed.grant.remaining(now) >= next.options.lease().toNanos() / 2) {
				hand(closed.grant, next, closed.pass + 1, now);
				return null;
			}
			if (closed.firstRenewal) {
				return null;
			}
		}
		closed.grant.end();
		this.hold = null;
		if (!closed.grant.remote.mayRelease()) {
			proceed(Duration.ZERO);
			return null;
		}
		this.releasing = true;
		return closed.grant.remote;
	}

	/**
	 * The first renewal of a hold was answered or failed.
	 * @return whether the hold was closed meanwhile and has to be left
	 */
	synchronized boolean firstRenewalEnded(Hold renewed) {
		renewed.firstRenewal = false;
		return this.hold == renewed && renewed.isClosed();
	}

	/** The claim that was left is released, or is being seen to. */
	synchronized void released(Duration standBack) {
		this.releasing = false;
		proceed(standBack);
	}

	/**
	 * The grant is no longer in force. Opens the gate at once.
	 * @return what is to be told, or {@code null} if it was over already
	 */
	synchronized @Nullable Loss lose(Grant lost, LossCause cause) {
		Hold losing = this.hold;
		if (losing == null || losing.grant != lost) {
			return null;
		}
		long rest = lost.remaining(this.coordinator.clock().nanoTime());
		lost.end();
		List<Consumer<LockLostException>> actions = losing.lose(cause);
		this.hold = null;
		boolean close = lost.remote.mayRelease();
		proceed(Duration.ZERO);
		return new Loss(losing, actions, close, Duration.ofNanos(rest));
	}

	/**
	 * Keep an action for the loss of a hold.
	 * @return whether the hold was lost already, so that the action is due
	 */
	synchronized boolean onLost(Hold held, Consumer<LockLostException> action) {
		if (this.hold == held && !held.isClosed()) {
			held.addLossAction(action);
		}
		return held.lossCause() != null;
	}

	private void hand(Grant grant, Acquisition caller, int pass, long now) {
		this.queue.remove(caller);
		this.remote = null;
		this.hold = new Hold(this, grant, caller, pass, now);
		this.coordinator.watchdog().watch(this.hold);
		caller.succeed(this.hold);
	}

	/**
	 * Nobody holds the key here: claim it for the first caller, or take the gate down.
	 */
	private void proceed(Duration standBack) {
		Acquisition head = this.queue.peek();
		if (head == null) {
			this.remote = null;
			this.gone = true;
			this.coordinator.remove(this);
			return;
		}
		this.remote = this.coordinator.newClaim(this, head);
		this.remote.askIn(standBack);
	}

	/**
	 * The claim stays for the next caller, if that wants of the store what the last one
	 * did.
	 */
	private void headMayHaveChanged(RemoteClaim present) {
		Acquisition head = this.queue.peek();
		if (head == null || !this.coordinator.storeMinHold(head).equals(present.claim().minHold())) {
			present.abandon();
			proceed(Duration.ZERO);
		}
		else if (head.waits()) {
			present.keepWaiting();
		}
	}

	/**
	 * What a lost hold leaves to do.
	 *
	 * @param hold the hold that was lost
	 * @param actions to be run
	 * @param close whether the claim has to be released
	 * @param rest how much of the lease was left
	 */
	record Loss(Hold hold, List<Consumer<LockLostException>> actions, boolean close, Duration rest) {
	}

}
