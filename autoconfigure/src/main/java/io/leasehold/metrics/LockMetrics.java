package io.leasehold.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventHandler;
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

	private final LockEventHandler recorder = new Recorder();

	public LockMetrics(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onEvent(LockEvent event) {
		event.dispatch(this.recorder);
	}

	private EngineMeters engine(String name) {
		EngineMeters meters = this.engines.get(name);
		return (meters != null) ? meters
				: this.engines.computeIfAbsent(name, (engine) -> new EngineMeters(this.registry, engine));
	}

	private final class Recorder implements LockEventHandler {

		@Override
		public void waitStarted(LockEvent.WaitStarted event) {
			engine(event.engine()).lock(event.name()).waitStarted();
		}

		@Override
		public void acquireEnded(LockEvent.AcquireEnded event) {
			EngineMeters engine = engine(event.engine());
			engine.lock(event.name()).acquireEnded(event);
			engine.failed(event.failure());
		}

		@Override
		public void holdEnded(LockEvent.HoldEnded event) {
			engine(event.engine()).lock(event.name()).holdEnded(event);
		}

		@Override
		public void holdLost(LockEvent.HoldLost event) {
			engine(event.engine()).lock(event.name()).lost(event.cause());
		}

		/** The hold is measured when it ends. */
		@Override
		public void holdSlow(LockEvent.HoldSlow event) {
		}

		@Override
		public void leaseRenewed(LockEvent.LeaseRenewed event) {
			engine(event.engine()).renewed(event);
		}

		@Override
		public void handedOff(LockEvent.HandedOff event) {
			engine(event.engine()).handedOff(event.kind());
		}

		/** The state is a meter of {@link EngineStateMetrics}. */
		@Override
		public void engineDown(LockEvent.EngineDown event) {
		}

		@Override
		public void engineUp(LockEvent.EngineUp event) {
		}

	}

}
