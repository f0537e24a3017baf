package io.leasehold.event;

/**
 * Handler of every kind of {@link LockEvent}, called by
 * {@link LockEvent#dispatch(LockEventHandler)}. A class that implements it does not
 * compile without a method for a new kind. For listeners that need only some kinds,
 * {@code instanceof} is simpler.
 */
public interface LockEventHandler {

	/** Handle a caller that began to wait. */
	void waitStarted(LockEvent.WaitStarted event);

	void acquireEnded(LockEvent.AcquireEnded event);

	void holdEnded(LockEvent.HoldEnded event);

	void holdLost(LockEvent.HoldLost event);

	/** Handle a lock that is held for too long. */
	void holdSlow(LockEvent.HoldSlow event);

	void leaseRenewed(LockEvent.LeaseRenewed event);

	void handedOff(LockEvent.HandedOff event);

	void engineDown(LockEvent.EngineDown event);

	void engineUp(LockEvent.EngineUp event);

}
