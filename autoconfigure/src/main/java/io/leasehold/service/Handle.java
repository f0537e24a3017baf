package io.leasehold.service;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.Access;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Reference to a hold by which its caller uses and closes it. Each acquisition and each
 * re-entry has one.
 */
final class Handle implements HeldLock, Runnable {

	private static final AtomicReferenceFieldUpdater<Handle, Object> FIRST = AtomicReferenceFieldUpdater
		.newUpdater(Handle.class, Object.class, "first");

	private final Holds holds;

	private final KeyGate gate;

	final Hold hold;

	private final ReleaseTiming.Releases releases;

	/**
	 * The hold's first handle, while this one is open. The reference keeps it reachable:
	 * the hold is abandoned once no handle refers to it.
	 */
	private volatile @Nullable Object first;

	/** Whether the hold may have actions of this handle, to be removed by the close. */
	private volatile boolean hasLossActions;

	private Handle(Holds holds, KeyGate gate, Hold hold, ReleaseTiming.Releases releases) {
		this.holds = holds;
		this.gate = gate;
		this.hold = hold;
		this.releases = releases;
	}

	/** Open a handle, or return {@code null} if the hold has ended or was lost. */
	static @Nullable Handle open(Holds holds, KeyGate gate, Hold hold, ReleaseTiming.Releases releases, boolean bound) {
		Handle handle = new Handle(holds, gate, hold, releases);
		Object first = gate.opened(hold, handle, bound);
		handle.first = first;
		return (first != null) ? handle : null;
	}

	/** Open another handle of the same hold, or return {@code null} if it has ended. */
	@Nullable Handle another() {
		return another(this.holds.timing);
	}

	@Nullable Handle another(ReleaseTiming timing) {
		Handle other = isOpen() && this.holds.isValid(this.gate, this.hold)
				? open(this.holds, this.gate, this.hold, timing.releases(), false) : null;
		return (other != null) ? other.announced() : null;
	}

	/** Return the handles of a lock, none if it is not of this library. */
	static Stream<Handle> in(HeldLock lock) {
		return lock.parts().stream().filter(Handle.class::isInstance).map(Handle.class::cast);
	}

	/** Return whether a lock is an open handle of a hold, or contains one. */
	static boolean isOpenHandle(HeldLock lock, Hold hold) {
		if (lock instanceof Handle handle) {
			return handle.isOpenHandleOf(hold);
		}
		for (HeldLock part : lock.parts()) {
			if (part instanceof Handle handle && handle.isOpenHandleOf(hold)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return whether a hold stays because the release of its first handle waits for the
	 * transaction of the current thread.
	 */
	static boolean waitsForCaller(Hold hold) {
		return hold.firstHandle() instanceof Handle first && first.releases.waitsForCaller();
	}

	/**
	 * Return whether a hold ends after a transaction that the current thread has
	 * suspended.
	 */
	static boolean waitsForSuspended(Hold hold) {
		return hold.firstHandle() instanceof Handle first && first.releases.waitsForSuspended();
	}

	private boolean isOpen() {
		return this.first != null;
	}

	/** Return whether this is an open handle of a lost hold of the given key. */
	boolean isLostHandleOf(Holds others, LockKey key) {
		return isOpen() && this.holds == others && this.hold.key().equals(key)
				&& !this.holds.isValid(this.gate, this.hold);
	}

	/** Notify the release timing that the lock is held. */
	Handle announced() {
		this.releases.held(this);
		return this;
	}

	/** Notify the release timing that this is a new acquisition, not a re-entry. */
	void acquired() {
		this.releases.acquired(this.hold.options.name());
	}

	boolean isOpenHandleOf(Hold other) {
		return isOpen() && this.hold == other;
	}

	@Nullable String unfenceable() {
		return this.holds.unfenceable(this.hold);
	}

	@Override
	public String key() {
		return this.hold.key().value();
	}

	@Override
	public String engine() {
		return this.holds.engine();
	}

	@Override
	public long fencingToken() {
		return this.hold.fencingToken();
	}

	@Override
	public boolean isValid() {
		return isOpen() && this.holds.isBeyondDoubt(this.gate, this.hold);
	}

	@Override
	public void throwIfLost() {
		this.holds.requireValid(this.gate, this.hold);
	}

	@Override
	public Duration remaining() {
		return isOpen() ? this.holds.remaining(this.gate, this.hold) : Duration.ZERO;
	}

	@Override
	public void extend(Duration maxHold, Duration minHold) {
		Assert.state(isOpen(), () -> "Lock '%s' is closed and cannot be extended".formatted(this.hold.key()));
		this.holds.extend(this.gate, this.hold, maxHold, minHold);
	}

	@Override
	public boolean isStopping() {
		return this.holds.isStopping();
	}

	@Override
	public void onLost(Consumer<LockLostException> action) {
		this.hasLossActions = true;
		if (isOpen()) {
			this.holds.onLost(this.hold, this, action);
			if (!isOpen()) {
				this.hold.removeLossActions(this); // it was closed meanwhile
			}
		}
	}

	/** Mark this handle as closed, and return whether it was open. */
	private boolean shut() {
		boolean open = FIRST.getAndSet(this, null) != null;
		if (open && this.hasLossActions) {
			this.hold.removeLossActions(this);
		}
		return open;
	}

	@Override
	public void close() {
		if (shut()) {
			this.releases.execute(this);
			this.holds.throwIfLostAtEnd(this.hold);
		}
	}

	/** End the hold of this closed handle. */
	@Override
	public void run() {
		this.holds.close(this.gate, this.hold);
	}

	/**
	 * Close an unused handle. No work ran under it, so its release waits for no
	 * transaction.
	 */
	void discard() {
		if (shut()) {
			this.releases.discarded();
			this.holds.close(this.gate, this.hold);
			this.holds.throwIfLostAtEnd(this.hold);
		}
	}

	boolean isExclusive() {
		return this.hold.grant.claim.access().equals(Access.EXCLUSIVE);
	}

	/** Close this handle without waiting for the response of a store. */
	void leave() {
		if (shut()) {
			this.holds.leave(this.gate, this.hold);
		}
	}

	/** Mark the hold as lost. Its work may continue until this handle is closed. */
	void cancel() {
		if (isOpen()) {
			this.holds.lose(this.gate, this.hold, LossCause.CANCELLED);
		}
	}

	/** Mark the hold as lost. A release of this handle may wait for its transaction. */
	void commitUnknown() {
		this.holds.lose(this.gate, this.hold, LossCause.COMMIT_UNKNOWN);
	}

	@Override
	public String toString() {
		return "HeldLock '%s' (token %s, %s)".formatted(this.hold.key(), fencingToken(),
				isValid() ? "valid" : "not valid");
	}

}
