package io.leasehold.service.gate;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Memory of which keys this process requested lately, so that a grant lingers only if the
 * process probably needs it again. A wrong answer costs time, never correctness.
 * Therefore old keys are forgotten, and races between threads are ignored. Thread-safe.
 */
final class Affinity {

	/** Must be powers of two. */
	private static final int ENTRIES = 65_536;

	private static final int BUCKET = 4;

	/** After this many conflicts, the pause of a key does not become longer. */
	private static final int MOST_DOUBLINGS = 6;

	/** Created by the first request, because most engines never need it. */
	private volatile @Nullable AtomicReferenceArray<@Nullable Entry> entries;

	/**
	 * Record that a key is requested now.
	 * @param linger maximum time since the request before
	 * @return whether the grant should linger: the key was requested within that time,
	 * and no other process wanted it lately
	 */
	boolean requested(LockKey key, Duration linger, long now) {
		int hash = hash(key);
		Entry entry = find(hash);
		if (entry == null) {
			add(new Entry(hash, now));
			return false;
		}
		boolean recent = now - entry.requested <= linger.toNanos();
		entry.requested = now;
		return recent && now - entry.pausedUntil >= 0;
	}

	/**
	 * Record that another process wants the key as well: it recalled a lingering grant,
	 * or the key was busy when this process asked for one. The key pauses for the linger
	 * time, and for twice as long after each further conflict.
	 */
	void conflicted(LockKey key, Duration linger, long now) {
		Entry entry = find(hash(key));
		if (entry != null) {
			entry.pausedUntil = now + (linger.toNanos() << entry.conflicts);
			entry.conflicts = (byte) Math.min(entry.conflicts + 1, MOST_DOUBLINGS);
		}
	}

	/** Record that no other process wanted a key while its grant lingered. */
	void unwanted(LockKey key) {
		Entry entry = find(hash(key));
		if (entry != null) {
			entry.conflicts = 0;
		}
	}

	private @Nullable Entry find(int hash) {
		AtomicReferenceArray<@Nullable Entry> all = this.entries;
		for (int i = 0; all != null && i < BUCKET; i++) {
			Entry entry = all.get(bucket(hash) + i);
			if (entry != null && entry.hash == hash) {
				return entry;
			}
		}
		return null;
	}

	/** Add an entry in place of the oldest one in its bucket. */
	private void add(Entry added) {
		AtomicReferenceArray<@Nullable Entry> all = entries();
		int place = bucket(added.hash);
		Entry oldest = all.get(place);
		for (int i = 1; oldest != null && i < BUCKET; i++) {
			Entry entry = all.get(bucket(added.hash) + i);
			if (entry == null || entry.requested - oldest.requested < 0) {
				place = bucket(added.hash) + i;
				oldest = entry;
			}
		}
		all.set(place, added);
	}

	private synchronized AtomicReferenceArray<@Nullable Entry> entries() {
		AtomicReferenceArray<@Nullable Entry> all = this.entries;
		if (all == null) {
			all = new AtomicReferenceArray<>(ENTRIES);
			this.entries = all;
		}
		return all;
	}

	private static int hash(LockKey key) {
		int hash = key.hashCode() * 0x9E3779B9;
		return hash ^ (hash >>> 15);
	}

	private static int bucket(int hash) {
		return hash & (ENTRIES - BUCKET);
	}

	/** Last request of a key, and its conflicts. */
	private static final class Entry {

		final int hash;

		volatile long requested;

		volatile long pausedUntil;

		volatile byte conflicts;

		Entry(int hash, long now) {
			this.hash = hash;
			this.requested = now;
			this.pausedUntil = now;
		}

	}

}
