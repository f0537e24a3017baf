package io.leasehold.metrics;

import java.util.function.ToDoubleFunction;

import io.leasehold.LockInspector;
import io.leasehold.event.ApplicationEvents;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Binder of the meter {@code leasehold.events.dropped}: events whose queue was full
 * because they occurred faster than their listeners processed them. Thread-safe.
 */
public record DroppedEventMetrics(ApplicationEvents applicationEvents, LockInspector locks) implements MeterBinder {

	/** Tag of the queue of application events, which all engines share. */
	private static final String APPLICATION = "application";

	@Override
	public void bindTo(MeterRegistry registry) {
		bind(registry, APPLICATION, this.applicationEvents, ApplicationEvents::dropped);
		for (String engine : this.locks.engines()) {
			bind(registry, engine, this.locks, (service) -> service.droppedEvents(engine));
		}
	}

	private static <T> void bind(MeterRegistry registry, String queue, T source, ToDoubleFunction<T> count) {
		FunctionCounter.builder("leasehold.events.dropped", source, count)
			.description("Events that were dropped because too many waited for their listeners")
			.baseUnit("events")
			.tags("queue", queue)
			.register(registry);
	}

}
