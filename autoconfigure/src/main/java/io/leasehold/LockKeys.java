package io.leasehold;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Set of one or more keys that are locked together, in one order for all callers.
 * Immutable.
 */
public final class LockKeys {

	/** The only key, to avoid a list. */
	private final @Nullable LockKey single;

	private final List<LockKey> several;

	private LockKeys(@Nullable LockKey single, List<LockKey> several) {
		this.single = single;
		this.several = several;
	}

	/**
	 * Return a set of one key.
	 * @param key the key
	 * @return the key alone
	 */
	public static LockKeys of(LockKey key) {
		return new LockKeys(key, List.of());
	}

	/**
	 * Return a set of keys.
	 * @param texts their texts in any order; duplicates are ignored
	 * @return the keys in order
	 * @throws LockKeyException if there is none, or one that cannot name a lock
	 */
	public static LockKeys of(Collection<? extends @Nullable String> texts) {
		List<String> known = new ArrayList<>(texts.size());
		for (String text : texts) {
			if (text == null) {
				throw new LockKeyException(null, "One of %s lock keys is null".formatted(texts.size()));
			}
			known.add(text);
		}
		if (known.isEmpty()) {
			throw new LockKeyException(null, "No lock key was given");
		}
		List<LockKey> keys = new TreeSet<>(known).stream().map(LockKey::new).toList();
		return (keys.size() == 1) ? of(keys.get(0)) : new LockKeys(null, keys);
	}

	/** Return the only key, or {@code null} if there are several. */
	public @Nullable LockKey single() {
		return this.single;
	}

	/** Return the distinct keys, at least one, in ascending order of their text. */
	public List<LockKey> all() {
		return (this.single != null) ? List.of(this.single) : this.several;
	}

	@Override
	public String toString() {
		return all().stream().map(LockKey::toString).collect(Collectors.joining(","));
	}

}
