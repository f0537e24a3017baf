package io.leasehold.event;

/**
 * Told what happens to locks. Called in the thread in which it happened, or in one of the
 * library's own for what no caller's thread sees; never in one that renews leases. Should
 * be quick. What it throws is logged and harms no lock.
 */
@FunctionalInterface
public interface LockEventListener {

	/**
	 * Take note of an event.
	 * @param event what happened
	 */
	void onEvent(LockEvent event);

}
