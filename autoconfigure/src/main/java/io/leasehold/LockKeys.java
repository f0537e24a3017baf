package io.leasehold;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * One or several keys that are locked together: each once, and in one order everywhere.
 * Immutable.
 *
 * @param all the keys in that order, at least one
 */
public record LockKeys(List<LockKey> all) {

	/**
	 * Create keys.
	 * @param all distinct keys in ascending order of their text
	 */
	public LockKeys {
		all = List.copyOf(all);
		if (all.isEmpty()) {
			throw new LockKeyException(null, "There is no key to lock");
		}
	}

	/**
	 * Return a single key.
	 * @param key the key
	 * @return the key alone
	 */
	public static LockKeys of(LockKey key) {
		return new LockKeys(List.of(key));
	}

	/**
	 * Return several keys.
	 * @param texts their texts in any order; those that are there twice count once
	 * @return the keys in order
	 * @throws LockKeyException if there is none, or one that cannot name a lock
	 */
	public static LockKeys of(Collection<? extends @Nullable String> texts) {
		List<String> known = new ArrayList<>(texts.size());
		for (String text : texts) {
			if (text == null) {
				throw new LockKeyException(null, "One of %d lock keys is null".formatted(texts.size()));
			}
			known.add(text);
		}
		return new LockKeys(new TreeSet<>(known).stream().map(LockKey::new).toList());
	}

	/**
	 * Return the only key.
	 * @return the key, or {@code null} if there are several
	 */
	public @Nullable LockKey single() {
		return (this.all.size() == 1) ? this.all.get(0) : null;
	}

	@Override
	public String toString() {
		return this.all.stream().map(LockKey::value).collect(Collectors.joining(","));
	}

}
