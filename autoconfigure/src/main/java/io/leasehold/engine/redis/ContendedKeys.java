package io.leasehold.engine.redis;

/**
 * Hint which locks other claims used lately, so that the scripts for a free lock would
 * probably be in vain. A wrong hint costs one more request or a longer script, never
 * correctness. Therefore keys share entries, and races between threads are ignored.
 */
final class ContendedKeys {

	private static final int ENTRIES = 4096;

	private final boolean[] contended = new boolean[ENTRIES];

	boolean contains(RedisKeys keys) {
		return this.contended[index(keys)];
	}

	void add(RedisKeys keys) {
		set(keys, true);
	}

	void remove(RedisKeys keys) {
		set(keys, false);
	}

	private void set(RedisKeys keys, boolean value) {
		int index = index(keys);
		if (this.contended[index] != value) {
			this.contended[index] = value;
		}
	}

	private static int index(RedisKeys keys) {
		int hash = keys.lock().hashCode();
		return (hash ^ (hash >>> 16)) & (ENTRIES - 1);
	}

}
