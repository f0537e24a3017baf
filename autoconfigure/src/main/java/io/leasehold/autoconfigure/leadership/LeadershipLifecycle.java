package io.leasehold.autoconfigure.leadership;

import io.leasehold.autoconfigure.LeaseholdLifecycle;
import io.leasehold.leadership.Leaderships;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Lifecycle of the candidacies. They begin to end when the application is closed, so that
 * no request or task that still runs begins the work of a leader, and have ended before
 * the locks of the application do, which would otherwise wait for them.
 */
final class LeadershipLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

	private final Leaderships leaderships;

	private final ApplicationContext context;

	private volatile boolean running;

	LeadershipLifecycle(Leaderships leaderships, ApplicationContext context) {
		this.leaderships = leaderships;
		this.context = context;
	}

	/** Step down, unless it is a child of the context that closes. */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (event.getApplicationContext() == this.context) {
			this.leaderships.stop(() -> {
			});
		}
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
