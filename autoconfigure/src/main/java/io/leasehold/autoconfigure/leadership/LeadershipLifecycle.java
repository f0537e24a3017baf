package io.leasehold.autoconfigure.leadership;

import io.leasehold.autoconfigure.LeaseholdLifecycle;
import io.leasehold.leadership.Leaderships;

import org.springframework.context.SmartLifecycle;

/**
 * Lifecycle of the candidacies. They end before the locks of the application do, which
 * would otherwise wait for them.
 */
final class LeadershipLifecycle implements SmartLifecycle {

	private final Leaderships leaderships;

	private volatile boolean running;

	LeadershipLifecycle(Leaderships leaderships) {
		this.leaderships = leaderships;
	}

	@Override
	public void start() {
		this.leaderships.start();
		this.running = true;
	}

	@Override
	public void stop() {
		stop(() -> {
		});
	}

	@Override
	public void stop(Runnable callback) {
		this.running = false;
		this.leaderships.stop(callback);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** Return false: a leader of a test would otherwise step down at a pause. */
	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return LeaseholdLifecycle.PHASE + 1;
	}

}
