package io.leasehold.endpoint;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import io.leasehold.LockKey;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.AcquireEnded;
import io.leasehold.event.LockEventListener;
import org.jspecify.annotations.Nullable;

/**
 * Listener that remembers when locks were last called and acquired, and which keys
 * callers waited for most in the last five minutes. Its memory is bounded. Thread-safe.
 */
public final class LockActivity implements LockEventListener {

	private static final long MINUTE = Duration.ofMinutes(1).toNanos();

	/** The oldest minute is one of them until its last event is so old. */
	private static final long PERIOD = Duration.ofMinutes(6).toNanos();

	private static final int MOST_NAMES = 1000;

	private static final int MOST_KEYS = 10;

	private final LongSupplier clock;

	private final boolean contention;

	/** Calls by engine and name. */
	private final Map<String, Map<String, Calls>> calls = new ConcurrentHashMap<>();

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
			called(ended);
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
	private void called(AcquireEnded ended) {
		Map<String, Calls> names = this.calls.computeIfAbsent(ended.engine(), (first) -> new ConcurrentHashMap<>());
		Calls calls = names.get(ended.name());
		if (calls == null && names.size() < MOST_NAMES) {
			calls = names.computeIfAbsent(ended.name(), (first) -> new Calls());
		}
		if (calls != null) {
			calls.add(new Call(this.contention ? ended.key() : null, ended.outcome(), this.clock.getAsLong()));
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

	/**
	 * Return when each lock was last acquired here, those first that never were, then the
	 * oldest.
	 */
	List<LocksDescriptor.Acquired> acquired() {
		long now = this.clock.getAsLong();
		return this.calls.entrySet()
			.stream()
			.flatMap((engine) -> engine.getValue()
				.entrySet()
				.stream()
				.flatMap((name) -> name.getValue().describe(engine.getKey(), name.getKey(), now).stream()))
			.sorted(Comparator
				.comparing(LocksDescriptor.Acquired::age, Comparator.nullsLast(Comparator.<Duration>naturalOrder()))
				.reversed())
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
	 * End of an acquisition.
	 *
	 * @param key the key, {@code null} if it is unknown or not kept
	 * @param at reading of the clock
	 */
	private record Call(@Nullable LockKey key, AcquireOutcome outcome, long at) {
	}

	/** The last call of a lock, and the last one that acquired it. */
	private static final class Calls {

		private final AtomicReference<@Nullable Call> last = new AtomicReference<>();

		private final AtomicReference<@Nullable Call> acquired = new AtomicReference<>();

		void add(Call call) {
			this.last.setRelease(call);
			if (call.outcome == AcquireOutcome.ACQUIRED) {
				this.acquired.setRelease(call);
			}
		}

		Optional<LocksDescriptor.Acquired> describe(String engine, String name, long now) {
			Call acquisition = this.acquired.get();
			Long age = (acquisition != null) ? now - acquisition.at : null;
			return Optional.ofNullable(this.last.get())
				.map((call) -> LocksDescriptor.Acquired.of(engine, name, call.key, age, now - call.at, call.outcome));
		}

	}

	/**
	 * Waits of a minute.
	 *
	 * @param began reading of the clock at its first wait
	 */
	private record Minute(long began, BusiestKeys keys) {
	}

}
