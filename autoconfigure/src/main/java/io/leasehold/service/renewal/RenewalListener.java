package io.leasehold.service.renewal;

import java.util.List;

import io.leasehold.event.LockEvent;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;

/**
 * What the watchdog finds out about holds.
 */
public interface RenewalListener {

	/**
	 * Check a hold, which is lost if its time is over or if it is abandoned.
	 * @return whether it is still held
	 */
	boolean isHeld(KeyGate gate, Hold hold, long now);

	/** The store knows that the grant of a hold is no longer in force. */
	void notOwner(KeyGate gate, Hold hold);

	/** The first renewal of a hold ended, and with it what its release may wait for. */
	void firstRenewalEnded(KeyGate gate, Hold hold);

	/** A batch was renewed, or failed to be. */
	void renewed(List<LockEvent> events);

}
