package io.leasehold.autoconfigure;

import io.leasehold.engine.Member;
import io.leasehold.service.LockService;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.core.SpringProperties;

/**
 * Lifecycle that lets holders finish when the application stops: after the web server and
 * the task executors, which start new work, and before the clients of the stores. It
 * notifies holders before all of these, because they wait for running methods as well.
 */
public class LeaseholdLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

	/** Task executors and schedulers stop at half of the maximum phase, clients at 0. */
	public static final int PHASE = Integer.MAX_VALUE / 2 - 1024;

	private final LockService service;

	private final Member member;

	private final ApplicationContext context;

	private volatile boolean running;

	LeaseholdLifecycle(LockService service, Member member, ApplicationContext context) {
		this.service = service;
		this.member = member;
		this.context = context;
	}

	/** Notify holders, unless it is a child of the context that closes. */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (event.getApplicationContext() == this.context) {
			this.service.stopping();
		}
	}

	/** Copies of a snapshot are members of their own. */
	@Override
	public void start() {
		if (startsFromSnapshot()) {
			this.member.renew();
		}
		this.service.resume();
		this.running = true;
	}

	/** Return whether Spring takes a snapshot (CRaC) before the first start. */
	private static boolean startsFromSnapshot() {
		return DefaultLifecycleProcessor.ON_REFRESH_VALUE
			.equalsIgnoreCase(SpringProperties.getProperty(DefaultLifecycleProcessor.CHECKPOINT_PROPERTY_NAME));
	}

	@Override
	public void stop() {
		stop(() -> {
		});
	}

	@Override
	public void stop(Runnable callback) {
		this.running = false;
		this.service.drain(callback);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** Return false: tests would otherwise wait for each other's holders at a pause. */
	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
