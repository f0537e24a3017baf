package io.leasehold.service;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.function.Consumer;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * A caller's hand on a hold; each acquisition and re-entry has its own.
 */
final class Handle implements HeldLock {

	private static final VarHandle CLOSED;

	static {
		try {
			CLOSED = MethodHandles.lookup().findVarHandle(Handle.class, "closed", boolean.class);
		}
		catch (ReflectiveOperationException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	private final Holds holds;

	private final Hold hold;

	private final ReleaseTiming.Releases releases;

	/**
	 * The hold's first handle, if this is another one: kept reachable, so that the hold
	 * can tell by it that all of them are gone.
	 */
	@SuppressWarnings("unused")
	private final @Nullable Handle first;

	private volatile boolean closed;

	Handle(Holds holds, Hold hold, ReleaseTiming.Releases releases, @Nullable Handle first) {
		this.holds = holds;
		this.hold = hold;
		this.releases = releases;
		this.first = first;
	}

	/** Return whether this is an open handle of a key that was lost. */
	boolean isLostHandleOf(Coordinator coordinator, LockKey key) {
		return !this.closed && this.hold.gate.coordinator == coordinator && this.hold.key().equals(key)
				&& !this.holds.isValid(this.hold);
	}

	/** Tell those who decide on the release that the lock was had. */
	Handle announced() {
		this.releases.held(this);
		return this;
	}

	/** Tell those who decide on the release that this was no re-entry. */
	void acquired() {
		this.releases.acquired(this.hold.options.name());
	}

	boolean isOpenHandleOf(Hold other) {
		return !this.closed && this.hold == other;
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
		return !this.closed && this.holds.isBeyondDoubt(this.hold);
	}

	@Override
	public void throwIfLost() {
		this.holds.requireValid(this.hold);
	}

	@Override
	public Duration remaining() {
		return this.closed ? Duration.ZERO : this.holds.remaining(this.hold);
	}

	@Override
	public void onLost(Consumer<LockLostException> action) {
		if (!this.closed) {
			this.holds.onLost(this.hold, action);
		}
	}

	@Override
	public void close() {
		if (CLOSED.compareAndSet(this, false, true)) {
			this.releases.execute(() -> this.holds.close(this.hold));
			this.holds.throwIfLostAtEnd(this.hold);
		}
	}

	/** The result was cancelled, but the work may go on until this handle is closed. */
	void cancel() {
		if (!this.closed) {
			this.holds.cancel(this.hold);
		}
	}

	@Override
	public String toString() {
		return "HeldLock '%s' (token %d, %s)".formatted(this.hold.key(), fencingToken(),
				isValid() ? "valid" : "not valid");
	}

}
