package io.leasehold.metrics;

import io.leasehold.LockInspector;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Binder of the meters {@code leasehold.engine.up}, whether the store of an engine
 * responds, and {@code leasehold.parked}, locks without a holder that this process keeps
 * for its next caller. Thread-safe.
 */
public record EngineStateMetrics(LockInspector locks) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		for (String engine : this.locks.engines()) {
			Gauge.builder("leasehold.engine.up", this.locks, (inspector) -> inspector.isUp(engine) ? 1 : 0)
				.description("Whether the store responds")
				.tags("engine", engine)
				.register(registry);
			Gauge.builder("leasehold.parked", this.locks, (inspector) -> parked(inspector, engine))
				.description("Locks that are kept for the next caller")
				.baseUnit("locks")
				.tags("engine", engine)
				.register(registry);
		}
	}

	private static long parked(LockInspector locks, String engine) {
		return locks.overview().parked().stream().filter((lock) -> lock.engine().equals(engine)).count();
	}

}
