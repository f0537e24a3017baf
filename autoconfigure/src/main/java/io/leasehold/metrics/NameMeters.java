package io.leasehold.metrics;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.leasehold.LossCause;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent.AcquireEnded;
import io.leasehold.event.LockEvent.HoldEnded;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;

/**
 * Meters of the locks of one name in one engine.
 */
final class NameMeters {

	private final Map<AcquireOutcome, Timer> acquisitions;

	private final Timer hold;

	private final Map<LossCause, Counter> losses;

	private final Clock clock;

	/** Reading of the registry's clock, in nanoseconds. */
	private volatile long acquired;

	private final LongAdder held = new LongAdder();

	private final LongAdder waiting = new LongAdder();

	NameMeters(MeterRegistry registry, String engine, String name) {
		Tags tags = Tags.of("name", name, "engine", engine);
		this.acquisitions = TagValues.each(AcquireOutcome.class,
				(outcome) -> Timer.builder("leasehold.acquire")
					.description("Time until a lock was acquired or the attempt ended")
					.tags(tags.and("outcome", outcome))
					.register(registry));
		this.hold = Timer.builder("leasehold.hold")
			.description("Time for which a lock was held")
			.tags(tags)
			.register(registry);
		this.losses = TagValues.each(LossCause.class,
				(cause) -> Counter.builder("leasehold.lost")
					.description("Locks that were lost while they were held")
					.baseUnit("locks")
					.tags(tags.and("cause", cause))
					.register(registry));
		this.clock = registry.config().clock();
		this.acquired = this.clock.monotonicTime();
		TimeGauge
			.builder("leasehold.acquired.age", () -> this.clock.monotonicTime() - this.acquired, TimeUnit.NANOSECONDS)
			.description("Time since this process acquired the lock")
			.tags(tags)
			.register(registry);
		gauge("leasehold.held", "Locks held now", "locks", this.held, tags, registry);
		gauge("leasehold.waiting", "Callers that are waiting for a lock", "callers", this.waiting, tags, registry);
	}

	private static void gauge(String name, String description, String unit, LongAdder value, Tags tags,
			MeterRegistry registry) {
		Gauge.builder(name, value, LongAdder::sum)
			.description(description)
			.baseUnit(unit)
			.tags(tags)
			.register(registry);
	}

	void waitStarted() {
		this.waiting.increment();
	}

	void acquireEnded(AcquireEnded event) {
		if (event.waited()) {
			this.waiting.decrement();
		}
		if (event.outcome() == AcquireOutcome.ACQUIRED) {
			this.held.increment();
			this.acquired = this.clock.monotonicTime();
		}
		TagValues.meter(this.acquisitions, event.outcome()).record(event.nanos(), TimeUnit.NANOSECONDS);
	}

	void holdEnded(HoldEnded event) {
		this.held.decrement();
		this.hold.record(event.nanos(), TimeUnit.NANOSECONDS);
	}

	void lost(LossCause cause) {
		TagValues.meter(this.losses, cause).increment();
	}

}
