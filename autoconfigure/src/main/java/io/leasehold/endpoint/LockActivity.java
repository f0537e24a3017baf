package io.leasehold.endpoint;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.AcquireEnded;
import io.leasehold.event.LockEventListener;

/**
 * Listener that remembers when locks were last acquired, and which keys callers waited
 * for most in the last five minutes. Its memory is bounded. Thread-safe.
 */
public final class LockActivity implements LockEventListener {

	private static final long MINUTE = Duration.ofMinutes(1).toNanos();

	/** The oldest minute is one of them until its last event is so old. */
	private static final long PERIOD = Duration.ofMinutes(6).toNanos();

	private static final int MOST_NAMES = 1000;

	private static final int MOST_KEYS = 10;

	private final LongSupplier clock;

	private final boolean contention;

	/** Reading of the clock at the last acquisition, by engine and name. */
	private final Map<String, Map<String, AtomicLong>> acquired = new ConcurrentHashMap<>();

	/** Waits of each minute, the oldest first. Guarded by itself. */
	private final Deque<Minute> minutes = new ArrayDeque<>();

	/**
	 * Create a listener without activity.
	 * @param clock returns nanoseconds, as {@link System#nanoTime()} does
	 * @param contention whether to remember keys
	 */
	public LockActivity(LongSupplier clock, boolean contention) {
		this.clock = clock;
		this.contention = contention;
	}

	@Override
	public void onEvent(LockEvent event) {
		if (event instanceof AcquireEnded ended) {
			if (ended.outcome() == AcquireOutcome.ACQUIRED) {
				acquired(ended.engine(), ended.name());
			}
			if (this.contention && ended.waited() && ended.key() != null && !isOutage(ended.outcome())) {
				waited(new BusiestKeys.Key(ended.engine(), ended.key()), ended.name(), ended.nanos());
			}
		}
	}

	/** Callers that waited for the store say nothing about the key. */
	private static boolean isOutage(AcquireOutcome outcome) {
		return outcome == AcquireOutcome.UNAVAILABLE || outcome == AcquireOutcome.BYPASSED;
	}

	/** Names are few, unless an application makes them from keys. */
	private void acquired(String engine, String name) {
		Map<String, AtomicLong> names = this.acquired.computeIfAbsent(engine, (first) -> new ConcurrentHashMap<>());
		AtomicLong last = names.get(name);
		if (last == null && names.size() < MOST_NAMES) {
			last = names.computeIfAbsent(name, (first) -> new AtomicLong(this.clock.getAsLong()));
		}
		if (last != null) {
			last.setRelease(this.clock.getAsLong());
		}
	}

	private void waited(BusiestKeys.Key key, String name, long nanos) {
		synchronized (this.minutes) {
			long now = this.clock.getAsLong();
			Minute last = this.minutes.peekLast();
			if (last == null || now - last.began >= MINUTE) {
				last = new Minute(now, new BusiestKeys());
				this.minutes.addLast(last);
			}
			last.keys.add(key, name, nanos);
			forget(now);
		}
	}

	private void forget(long now) {
		this.minutes.removeIf((minute) -> now - minute.began >= PERIOD);
	}

	/** Return when each lock was last acquired here, the oldest first. */
	List<LocksDescriptor.Acquired> acquired() {
		long now = this.clock.getAsLong();
		return this.acquired.entrySet()
			.stream()
			.flatMap((engine) -> engine.getValue()
				.entrySet()
				.stream()
				.map((name) -> LocksDescriptor.Acquired.of(engine.getKey(), name.getKey(),
						Math.max(0, now - name.getValue().get()))))
			.sorted(Comparator.comparing(LocksDescriptor.Acquired::age).reversed())
			.toList();
	}

	/** Return the keys with the most waits, the first with the most. */
	List<LocksDescriptor.Contended> contended() {
		Map<BusiestKeys.Key, BusiestKeys.Waits> sums;
		synchronized (this.minutes) {
			forget(this.clock.getAsLong());
			sums = BusiestKeys.sum(this.minutes.stream().map(Minute::keys).toList());
		}
		return sums.entrySet()
			.stream()
			.map((sum) -> LocksDescriptor.Contended.of(sum.getKey(), sum.getValue()))
			.sorted(Comparator.comparingLong(LocksDescriptor.Contended::waits).reversed())
			.limit(MOST_KEYS)
			.toList();
	}

	/**
	 * Waits of a minute.
	 *
	 * @param began reading of the clock at its first wait
	 */
	private record Minute(long began, BusiestKeys keys) {
	}

}
