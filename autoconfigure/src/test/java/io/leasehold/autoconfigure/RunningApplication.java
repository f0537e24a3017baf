package io.leasehold.autoconfigure;

import java.util.Optional;
import java.util.Queue;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostEvent;
import io.leasehold.engine.Member;
import io.leasehold.service.LockService;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A {@link LockedApplication} that runs, and what others can see of it.
 */
record RunningApplication(ConfigurableApplicationContext context) implements AutoCloseable {

	LockedApplication.Orders orders() {
		return this.context.getBean(LockedApplication.Orders.class);
	}

	DistributedLocks locks() {
		return this.context.getBean(DistributedLocks.class);
	}

	String member() {
		return this.context.getBean(Member.class).id();
	}

	Queue<LockLostEvent> losses() {
		return this.context.getBean(LockedApplication.Losses.class).events;
	}

	MeterRegistry meters() {
		return this.context.getBean(MeterRegistry.class);
	}

	/** Sum over all names of locks. */
	double gauge(String name) {
		return meters().find(name).gauges().stream().mapToDouble(Gauge::value).sum();
	}

	/** How many calls ended so. */
	long calls(String outcome) {
		return meters().find("leasehold.acquire")
			.tag("outcome", outcome)
			.timers()
			.stream()
			.mapToLong(Timer::count)
			.sum();
	}

	Status health() {
		CompositeHealthContributor locks = this.context.getBean("locksHealthContributor",
				CompositeHealthContributor.class);
		return ((HealthIndicator) locks.stream().toList().get(0).contributor()).health().getStatus();
	}

	/** Whether this application could have a lock at once. */
	boolean findsFree(String key) {
		Optional<HeldLock> held = locks().tryAcquire(key);
		held.ifPresent(HeldLock::close);
		return held.isPresent();
	}

	/** How many owners of a key the store knows. */
	int owners(String key) {
		return service().inspector().inspect("", new LockKey(key)).size();
	}

	/** Take a lock away from whoever has it. */
	void takeAway(String key) {
		service().inspector().forceRelease("", new LockKey(key));
	}

	private LockService service() {
		return this.context.getBean(LockService.class);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
