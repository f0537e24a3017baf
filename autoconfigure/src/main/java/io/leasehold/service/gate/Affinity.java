package io.leasehold.service.gate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import io.leasehold.LockKey;

/**
 * Memory of which keys this process requested lately, so that a grant lingers only if the
 * process probably needs it again. A wrong answer costs time, never correctness.
 * Therefore keys are known by their hash codes, and old ones are forgotten. Thread-safe.
 */
final class Affinity {

	private static final int MOST_KEYS = 65_536;

	/** After this many conflicts, the pause of a key does not become longer. */
	private static final int MOST_DOUBLINGS = 6;

	/** In the order of use, the oldest first. */
	private final Map<Integer, Usage> usages = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Integer, Usage> eldest) {
			return size() > MOST_KEYS;
		}

	};

	/**
	 * Record that a key is requested now.
	 * @param linger maximum time since the request before
	 * @return whether the grant should linger: the key was requested within that time,
	 * and no other process wanted it lately
	 */
	synchronized boolean requested(LockKey key, Duration linger, long now) {
		Usage usage = this.usages.get(key.hashCode());
		if (usage == null) {
			this.usages.put(key.hashCode(), new Usage(now));
			return false;
		}
		boolean recent = now - usage.requested <= linger.toNanos();
		usage.requested = now;
		return recent && now - usage.pausedUntil >= 0;
	}

	/**
	 * Record that another process wants the key as well: it recalled a lingering grant,
	 * or the key was busy when this process asked for one. The key pauses for the linger
	 * time, and for twice as long after each further conflict.
	 */
	synchronized void conflicted(LockKey key, Duration linger, long now) {
		Usage usage = this.usages.get(key.hashCode());
		if (usage != null) {
			usage.pausedUntil = now + (linger.toNanos() << usage.conflicts);
			usage.conflicts = Math.min(usage.conflicts + 1, MOST_DOUBLINGS);
		}
	}

	/** Record that no other process wanted a key while its grant lingered. */
	synchronized void unwanted(LockKey key) {
		Usage usage = this.usages.get(key.hashCode());
		if (usage != null) {
			usage.conflicts = 0;
		}
	}

	/** Last request of a key, and its conflicts. */
	private static final class Usage {

		private long requested;

		private long pausedUntil;

		private int conflicts;

		private Usage(long now) {
			this.requested = now;
			this.pausedUntil = now;
		}

	}

}
