package io.leasehold.metrics;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.LockEngineException;
import io.leasehold.event.HandoffKind;
import io.leasehold.event.LockEvent.LeaseRenewed;
import io.leasehold.event.RenewalResult;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Meters of one engine.
 */
final class EngineMeters {

	private final MeterRegistry registry;

	private final String engine;

	private final Map<RenewalResult, Timer> renewals;

	private final Timer slack;

	private final Map<HandoffKind, Counter> handoffs;

	private final Map<String, Counter> refusals = new ConcurrentHashMap<>();

	private final Map<String, NameMeters> names = new ConcurrentHashMap<>();

	EngineMeters(MeterRegistry registry, String engine) {
		this.registry = registry;
		this.engine = engine;
		this.renewals = TagValues.each(RenewalResult.class,
				(outcome) -> Timer.builder("leasehold.renewal")
					.description("Time until the store responded to the renewal of a lease")
					.tags("engine", engine, "outcome", outcome)
					.register(registry));
		// Averages hide the single late renewal: buckets count those with little slack
		this.slack = Timer.builder("leasehold.renewal.slack")
			.description("Remaining lease at the response to its renewal; near zero means imminent losses")
			.tags("engine", engine)
			.serviceLevelObjectives(Duration.ofMillis(100), Duration.ofSeconds(1), Duration.ofSeconds(5))
			.register(registry);
		this.handoffs = TagValues.each(HandoffKind.class,
				(kind) -> Counter.builder("leasehold.handoff")
					.description("Keys that were handed to the next owner without becoming free")
					.baseUnit("keys")
					.tags("engine", engine, "kind", kind)
					.register(registry));
	}

	NameMeters lock(String name) {
		NameMeters meters = this.names.get(name);
		return (meters != null) ? meters
				: this.names.computeIfAbsent(name, (lockName) -> new NameMeters(this.registry, this.engine, lockName));
	}

	void renewed(LeaseRenewed event) {
		TagValues.meter(this.renewals, event.outcome()).record(event.took());
		failed(event.failure());
		if (event.outcome() != RenewalResult.NOT_OWNER) {
			// Timers drop negative values, which matter most here
			this.slack.record(event.slack().isNegative() ? Duration.ZERO : event.slack());
		}
	}

	/** Count a failure if the store rejected the request. */
	void failed(@Nullable Exception failure) {
		String reason = (failure instanceof LockEngineException unavailable) ? unavailable.refusal() : null;
		if (reason != null) {
			this.refusals.computeIfAbsent(reason, this::refusal).increment();
		}
	}

	private Counter refusal(String reason) {
		return Counter.builder("leasehold.refused")
			.description("Acquisitions and renewals that the store rejected")
			.baseUnit("requests")
			.tags("engine", this.engine, "reason", reason)
			.register(this.registry);
	}

	void handedOff(HandoffKind kind) {
		TagValues.meter(this.handoffs, kind).increment();
	}

}
