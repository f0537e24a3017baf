package io.leasehold;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Part of the locks that all processes hold. Immutable.
 *
 * @param held the locks in the order of the store, may be empty although others follow
 * @param next where the next page begins, or {@code null} if this is the last page
 */
public record LockPage(List<Entry> held, @Nullable String next) {

	/**
	 * Held lock.
	 *
	 * @param key its key
	 * @param holders its holders in the order of their grants, not empty
	 */
	public record Entry(String key, List<LockHolder> holders) {
	}

}
