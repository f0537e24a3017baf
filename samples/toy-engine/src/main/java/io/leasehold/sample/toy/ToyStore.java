package io.leasehold.sample.toy;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * What stands for a server: it knows keys, the tokens of their owners, and a clock of its
 * own that ends leases. Each method is one atomic request.
 */
public class ToyStore {

	private final Map<LockKey, Entry> entries = new HashMap<>();

	/** Begins with the time, so that numbers go on growing after a restart. */
	private long lastNumber = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

	/**
	 * Who has a key.
	 *
	 * @param owner token of the owner
	 * @param number number of the grant
	 * @param since when it was granted
	 * @param until reading of this store's clock when the lease ends
	 */
	record Entry(String owner, long number, Instant since, long until) {

		Entry extended(long until) {
			return new Entry(this.owner, this.number, this.since, Math.max(this.until, until));
		}

		Duration remaining() {
			return Duration.ofNanos(this.until - System.nanoTime());
		}

	}

	/** Give a key to an owner if it is free or its own; return who has it then. */
	synchronized Entry take(LockKey key, String owner, Duration lease) {
		Entry found = find(key);
		if (found == null) {
			this.lastNumber++;
			found = new Entry(owner, this.lastNumber, Instant.now(), until(lease));
			this.entries.put(key, found);
		}
		else if (found.owner.equals(owner)) {
			found = found.extended(until(lease));
			this.entries.put(key, found);
		}
		return found;
	}

	/** Extend a lease; return whether the owner still had the key. */
	synchronized boolean extend(LockKey key, String owner, Duration lease) {
		Entry found = find(key);
		if (found == null || !found.owner.equals(owner)) {
			return false;
		}
		this.entries.put(key, found.extended(until(lease)));
		return true;
	}

	/** Free a key; return whether the owner still had it. */
	synchronized boolean free(LockKey key, String owner) {
		Entry found = find(key);
		return found != null && found.owner.equals(owner) && this.entries.remove(key, found);
	}

	/** Free a key whoever has it; return who that was. */
	synchronized @Nullable Entry free(LockKey key) {
		Entry found = find(key);
		this.entries.remove(key);
		return found;
	}

	/** Tell who has a key. */
	synchronized @Nullable Entry find(LockKey key) {
		this.entries.values().removeIf((entry) -> entry.until - System.nanoTime() <= 0);
		return this.entries.get(key);
	}

	/** Tell how many keys have an owner. */
	synchronized int size() {
		return this.entries.size();
	}

	private static long until(Duration lease) {
		return System.nanoTime() + lease.toNanos();
	}

}
