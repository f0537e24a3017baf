package io.leasehold.engine;

import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Keys of the engine's namespace that any process holds, for operators. Thread-safe.
 */
public interface HeldKeys {

	/**
	 * Return some of the held keys, and where to continue. Only reads, and visits a
	 * limited number of keys of the store. A page may therefore be empty although others
	 * follow.
	 * <p>
	 * A grant that lasts throughout the listing is on at least one of its pages, unless
	 * the store moves it meanwhile. Other keys may be missing, and a key may be repeated.
	 * Keys are in the order of the store.
	 * @param prefix beginning of the keys, may be empty
	 * @param after {@link Page#next()} of the page before, or {@code null} to begin
	 * @param limit number of keys after which the page ends, at least one. A store that
	 * returns keys in groups may exceed it
	 * @return the page
	 * @throws IllegalArgumentException if no page of the same listing has returned
	 * {@code after}, or if the listing has to begin again
	 * @throws UnsupportedOperationException if there are more keys than the store can
	 * list
	 * @throws LockEngineException if the store did not respond
	 */
	Page list(String prefix, @Nullable String after, int limit);

	/**
	 * Return some of the held keys for which claims wait in the store, and these claims.
	 * Otherwise as {@link #list} without a prefix.
	 * @return the page, or {@code null} if the store does not know which threads wait
	 */
	default @Nullable Page listAwaited(@Nullable String after, int limit) {
		return null;
	}

	/**
	 * Create the exception for a position that no page of the listing has returned.
	 * @param after the position
	 */
	static IllegalArgumentException noPosition(String after) {
		return new IllegalArgumentException("'%s' is not a position in the list of held locks".formatted(after));
	}

	/**
	 * Part of the held keys.
	 *
	 * @param keys the keys, without those that a minimum hold or a lock delay keeps
	 * @param next where the next page begins, or {@code null} if this is the last page
	 */
	record Page(List<HeldKey> keys, @Nullable String next) {
	}

	/**
	 * Held key.
	 *
	 * @param key the key
	 * @param holders its holders in the order of their grants, not empty
	 * @param waiters claims that wait until all of these holders have released it, with
	 * the times of their requests and without grant numbers. Empty in a page of
	 * {@link HeldKeys#list}, and for permits
	 */
	record HeldKey(LockKey key, List<Holder> holders, List<Holder> waiters) {

		/** Maximum number of waiters. */
		public static final int MOST_WAITERS = 100;

		public HeldKey(LockKey key, List<Holder> holders) {
			this(key, holders, List.of());
		}

		/**
		 * Return whether a page contains this key.
		 * @param awaited whether the page lists only keys for which claims wait
		 */
		public boolean isListed(boolean awaited) {
			return !this.holders.isEmpty() && !(awaited && this.waiters.isEmpty());
		}

	}

}
