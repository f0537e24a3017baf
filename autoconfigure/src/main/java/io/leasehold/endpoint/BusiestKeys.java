package io.leasehold.endpoint;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.leasehold.LockKey;

/**
 * Keys with the most waits, in bounded memory for any number of keys. A new key replaces
 * the one with the fewest waits, and inherits their number as its possible error.
 * Therefore each key with more than a hundredth of all waits is known. Not thread-safe.
 *
 * @see <a href="https://doi.org/10.1007/978-3-540-30570-5_27">Metwally, Agrawal, El
 * Abbadi: Efficient Computation of Frequent and Top-k Elements in Data Streams</a>,
 * algorithm Space-Saving
 */
final class BusiestKeys {

	private static final int CAPACITY = 100;

	private final Map<Key, Waits> known = new HashMap<>();

	/**
	 * Add a wait.
	 * @param name fixed name of the caller's lock
	 * @param nanos how long it waited, in nanoseconds
	 */
	void add(Key key, String name, long nanos) {
		Waits before = this.known.get(key);
		if (before == null) {
			before = unknown();
			if (this.known.size() == CAPACITY) {
				this.known.remove(fewest().getKey());
			}
		}
		this.known.put(key, before.plus(new Waits(name, 1, 0, nanos, nanos)));
	}

	/** Return the sums of consecutive times for all keys that one of them knows. */
	static Map<Key, Waits> sum(Collection<BusiestKeys> times) {
		Set<Key> keys = times.stream().flatMap((time) -> time.known.keySet().stream()).collect(Collectors.toSet());
		Map<Key, Waits> sums = new HashMap<>();
		for (BusiestKeys time : times) {
			Waits unknown = time.unknown();
			keys.forEach((key) -> sums.merge(key, time.known.getOrDefault(key, unknown), Waits::plus));
		}
		return sums;
	}

	/** Return the most waits that an unknown key can have had. */
	private Waits unknown() {
		long most = (this.known.size() < CAPACITY) ? 0 : fewest().getValue().count();
		return new Waits("", most, most, 0, 0);
	}

	private Map.Entry<Key, Waits> fewest() {
		return this.known.entrySet()
			.stream()
			.min(Comparator.comparingLong((entry) -> entry.getValue().count()))
			.orElseThrow();
	}

	/** Key of an engine. */
	record Key(String engine, LockKey key) {
	}

	/**
	 * Waits for one key.
	 *
	 * @param name fixed name of the last caller's lock
	 * @param count number of waits, too large by at most {@code error}
	 * @param error maximum by which the number is too large
	 * @param total sum of the known waits, in nanoseconds
	 * @param longest longest of the known waits, in nanoseconds
	 */
	record Waits(String name, long count, long error, long total, long longest) {

		private Waits plus(Waits later) {
			return new Waits(later.name.isEmpty() ? this.name : later.name, this.count + later.count,
					this.error + later.error, this.total + later.total, Math.max(this.longest, later.longest));
		}

	}

}
