package io.leasehold.service.renewal;

import java.util.List;

import io.leasehold.event.LockEvent;
import io.leasehold.service.gate.Grant;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;

/**
 * Listener for the watchdog's findings about holds.
 */
public interface RenewalListener {

	/**
	 * Check a hold, and mark it as lost if it has expired or is abandoned.
	 * @return whether it is still held
	 */
	boolean isHeld(KeyGate gate, Hold hold, long now);

	/** Called when the store reported that the grant of a hold is no longer in force. */
	void notOwner(KeyGate gate, Hold hold);

	/** Called when a grant's first renewal has ended, for which its release may wait. */
	void firstRenewalEnded(KeyGate gate, Grant grant);

	/** Called with one event per renewal of a batch, whatever their results. */
	void renewed(List<LockEvent.LeaseRenewed> events);

}
