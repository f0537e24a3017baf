package io.leasehold.event;

import java.time.Duration;

import io.leasehold.LockKey;
import io.leasehold.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Event in the lock service of one engine. {@code name} is always the fixed name of the
 * lock. Waits and holds of {@linkplain io.leasehold.LockOptions#endless() endless} locks
 * have no events, except for their loss.
 */
public sealed interface LockEvent {

	/** Return the engine's name, such as {@code redis}. */
	String engine();

	/** Call the method of a handler that is for this kind of event. */
	void dispatch(LockEventHandler handler);

	/**
	 * A caller found the key locked and waits. Followed by one {@link AcquireEnded} of
	 * the same name.
	 */
	record WaitStarted(String engine, String name, LockKey key) implements LockEvent {

		@Override
		public void dispatch(LockEventHandler handler) {
			handler.waitStarted(this);
		}

	}

	/**
	 * An acquisition ended, with or without the lock.
	 *
	 * @param key the key, or {@code null} if it could not name a lock
	 * @param outcome how it ended
	 * @param waited whether a {@link WaitStarted} came before
	 * @param nanos how long it took, in nanoseconds
	 * @param failure the caller's exception, or the one that
	 * {@link AcquireOutcome#BYPASSED} suppressed; {@code null} if the key was acquired or
	 * not required
	 */
	record AcquireEnded(String engine, String name, @Nullable LockKey key, AcquireOutcome outcome, boolean waited,
			long nanos, @Nullable Exception failure) implements LockEvent {

		@Override
		public void dispatch(LockEventHandler handler) {
			handler.acquireEnded(this);
		}

	}

	/**
	 * A hold ended by a release or an earlier loss. Published once for each acquisition
	 * with {@link AcquireOutcome#ACQUIRED}.
	 *
	 * @param fencingToken token of the acquisition
	 * @param nanos how long it was held, in nanoseconds
	 */
	record HoldEnded(String engine, String name, LockKey key, long fencingToken, long nanos) implements LockEvent {

		@Override
		public void dispatch(LockEventHandler handler) {
			handler.holdEnded(this);
		}

	}

	/**
	 * A lock was lost while it was held. Published at most once per hold, before its
	 * {@link HoldEnded}. It comes after it if the release was retried in the background
	 * and only then showed the loss.
	 *
	 * @param fencingToken token of the acquisition
	 * @param cause cause of the loss
	 */
	record HoldLost(String engine, String name, LockKey key, long fencingToken, LossCause cause) implements LockEvent {

		@Override
		public void dispatch(LockEventHandler handler) {
			handler.holdLost(this);
		}

	}

	/**
	 * A lock is held for too long. Published at most once per hold: during the hold, or
	 * at its end if no check came earlier.
	 *
	 * @param fencingToken token of the acquisition
	 * @param nanos how long it has been held, in nanoseconds
	 */
	record HoldSlow(String engine, String name, LockKey key, long fencingToken, long nanos) implements LockEvent {

		@Override
		public void dispatch(LockEventHandler handler) {
			handler.holdSlow(this);
		}

	}

	/**
	 * The renewal of one lease ended, with or without a response of the store.
	 *
	 * @param outcome its result
	 * @param took duration of the batch that contained it
	 * @param slack rest of the lease when the response arrived
	 * @param failure why the result is unknown, only for {@link RenewalResult#UNKNOWN}
	 */
	record LeaseRenewed(String engine, RenewalResult outcome, Duration took, Duration slack,
			@Nullable Exception failure) implements LockEvent {

		@Override
		public void dispatch(LockEventHandler handler) {
			handler.leaseRenewed(this);
		}

	}

	/**
	 * The store stopped responding. Followed by one {@link EngineUp}.
	 *
	 * @param failure the failure of the first request without a response, {@code null} if
	 * unknown
	 */
	record EngineDown(String engine, @Nullable Throwable failure) implements LockEvent {

		@Override
		public void dispatch(LockEventHandler handler) {
			handler.engineDown(this);
		}

	}

	/**
	 * The store responds again.
	 *
	 * @param nanos how long it did not respond, in nanoseconds
	 */
	record EngineUp(String engine, long nanos) implements LockEvent {

		@Override
		public void dispatch(LockEventHandler handler) {
			handler.engineUp(this);
		}

	}

	/**
	 * A key was handed to the next owner without becoming free.
	 *
	 * @param kind inside this process or between processes
	 */
	record HandedOff(String engine, HandoffKind kind) implements LockEvent {

		@Override
		public void dispatch(LockEventHandler handler) {
			handler.handedOff(this);
		}

	}

}
