package io.leasehold.engine.support;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether work is planned, so that it is planned once. If planning fails, such as without
 * memory for a task, the next caller plans it. Thread-safe.
 */
public final class PlannedOnce {

	private final AtomicBoolean planned = new AtomicBoolean();

	/**
	 * Plan the work, unless it is planned.
	 * @param plan passes it to a thread or timer; its failure is thrown
	 */
	public void plan(Runnable plan) {
		if (this.planned.get() || !this.planned.compareAndSet(false, true)) {
			return;
		}
		try {
			plan.run();
		}
		catch (RuntimeException | Error ex) {
			this.planned.set(false);
			throw ex;
		}
	}

	/** Let the work be planned again. */
	public void done() {
		this.planned.set(false);
	}

}
