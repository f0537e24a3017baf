package io.leasehold.sample.show;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;

import org.springframework.stereotype.Component;

/**
 * Watches this instance's lock on the stock: who waits, how long it is held, how
 * acquisitions end.
 */
@Component
class LockWatch implements LockEventListener {

	private static final String LOCK = "StockService.sell";

	private static final int SAMPLES = 120;

	private final AtomicInteger waiting = new AtomicInteger();

	private final Deque<Long> holds = new ArrayDeque<>();

	private final Map<AcquireOutcome, Integer> outcomes = new EnumMap<>(AcquireOutcome.class);

	@Override
	public void onEvent(LockEvent event) {
		if (event instanceof LockEvent.WaitStarted started && started.name().equals(LOCK)) {
			this.waiting.incrementAndGet();
		}
		else if (event instanceof LockEvent.AcquireEnded ended && ended.name().equals(LOCK)) {
			acquireEnded(ended);
		}
		else if (event instanceof LockEvent.HoldEnded ended && ended.name().equals(LOCK)) {
			holdEnded(ended.nanos());
		}
	}

	private void acquireEnded(LockEvent.AcquireEnded ended) {
		if (ended.waited()) {
			this.waiting.decrementAndGet();
		}
		synchronized (this) {
			this.outcomes.merge(ended.outcome(), 1, Integer::sum);
		}
	}

	private synchronized void holdEnded(long nanos) {
		if (this.holds.size() == SAMPLES) {
			this.holds.removeFirst();
		}
		this.holds.addLast(nanos / 1000);
	}

	/** A sale begins. */
	synchronized void reset() {
		this.holds.clear();
		this.outcomes.clear();
	}

	int waiting() {
		return this.waiting.get();
	}

	/** The latest hold times in microseconds. */
	synchronized String holds() {
		return this.holds.stream().map(String::valueOf).collect(Collectors.joining(","));
	}

	/**
	 * How acquisitions ended since the sale began, such as {@code acquired=12,busy=1}.
	 */
	synchronized String outcomes() {
		return this.outcomes.entrySet()
			.stream()
			.map((entry) -> entry.getKey().name().toLowerCase(Locale.ROOT) + "=" + entry.getValue())
			.collect(Collectors.joining(","));
	}

}
