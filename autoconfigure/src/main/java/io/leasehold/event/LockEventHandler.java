package io.leasehold.event;

/**
 * Handler of every kind of {@link LockEvent}, called by
 * {@link LockEvent#dispatch(LockEventHandler)}. A class that implements it does not
 * compile without a method for a new kind. For listeners that need only some kinds,
 * {@code instanceof} is simpler.
 */
public interface LockEventHandler {

	/**
	 * Handle a caller that began to wait.
	 * @param event the event
	 */
	void waitStarted(LockEvent.WaitStarted event);

	/**
	 * Handle the end of an acquisition.
	 * @param event the event
	 */
	void acquireEnded(LockEvent.AcquireEnded event);

	/**
	 * Handle the end of a hold.
	 * @param event the event
	 */
	void holdEnded(LockEvent.HoldEnded event);

	/**
	 * Handle the loss of a lock.
	 * @param event the event
	 */
	void holdLost(LockEvent.HoldLost event);

	/**
	 * Handle a lock that is held for too long.
	 * @param event the event
	 */
	void holdSlow(LockEvent.HoldSlow event);

	/**
	 * Handle the end of a renewal.
	 * @param event the event
	 */
	void leaseRenewed(LockEvent.LeaseRenewed event);

	/**
	 * Handle a handoff.
	 * @param event the event
	 */
	void handedOff(LockEvent.HandedOff event);

}
