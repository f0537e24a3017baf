package io.leasehold.interceptor;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leasehold.LossCause;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;

/**
 * What happened to the locks of an application. Thread-safe.
 */
class RecordedEvents implements LockEventListener {

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	@Override
	public void onEvent(LockEvent event) {
		this.events.add(event);
	}

	List<LossCause> losses() {
		return this.events.stream()
			.filter(LockEvent.HoldLost.class::isInstance)
			.map((event) -> ((LockEvent.HoldLost) event).cause())
			.toList();
	}

	/** Whether a caller has begun to wait for a lock. */
	boolean isAwaited() {
		return this.events.stream().anyMatch(LockEvent.WaitStarted.class::isInstance);
	}

}
