package io.leasehold.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.AcquireEnded;
import io.leasehold.event.LockEvent.HandedOff;
import io.leasehold.event.LockEvent.HoldEnded;
import io.leasehold.event.LockEvent.HoldLost;
import io.leasehold.event.LockEvent.LeaseRenewed;
import io.leasehold.event.LockEvent.WaitStarted;
import io.leasehold.event.LockEventListener;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Listener that maintains the meters {@code leasehold.*}. They are tagged by fixed lock
 * name, engine and outcome, never by key. All meters of a name exist, at zero, from its
 * first event on. Thread-safe.
 */
public final class LockMetrics implements LockEventListener {

	private final MeterRegistry registry;

	private final Map<String, EngineMeters> engines = new ConcurrentHashMap<>();

	/**
	 * Create metrics.
	 * @param registry where the meters are registered
	 */
	public LockMetrics(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onEvent(LockEvent event) {
		EngineMeters engine = engine(event.engine());
		if (event instanceof WaitStarted started) {
			engine.lock(started.name()).waitStarted();
		}
		else if (event instanceof AcquireEnded ended) {
			engine.lock(ended.name()).acquireEnded(ended);
			engine.failed(ended.failure());
		}
		else if (event instanceof HoldEnded ended) {
			engine.lock(ended.name()).holdEnded(ended);
		}
		else if (event instanceof HoldLost lost) {
			engine.lock(lost.name()).lost(lost.cause());
		}
		else if (event instanceof LeaseRenewed renewed) {
			engine.renewed(renewed);
		}
		else if (event instanceof HandedOff handedOff) {
			engine.handedOff(handedOff.kind());
		}
	}

	private EngineMeters engine(String name) {
		EngineMeters meters = this.engines.get(name);
		return (meters != null) ? meters
				: this.engines.computeIfAbsent(name, (engine) -> new EngineMeters(this.registry, engine));
	}

}
