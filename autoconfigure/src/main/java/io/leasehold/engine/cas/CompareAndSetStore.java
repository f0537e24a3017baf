package io.leasehold.engine.cas;

import java.time.Duration;

import io.leasehold.LockOptions;
import io.leasehold.engine.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Store of small texts that can compare and set. {@link CasLockEngine} keeps one entry
 * per lock in it.
 * <p>
 * Thread-safe. Each method sends one request and does not block longer than a timeout of
 * the store's own, also if its thread is interrupted. An exception means that the outcome
 * is unknown: a write may have happened, or may still happen. The engine adds the name of
 * the lock to it. A store with resources is {@link AutoCloseable}; its engine closes it.
 * <p>
 * Exclusion requires that the store never reverts an acknowledged write and never ends an
 * entry before its time to live. A store that does so under known conditions, such as a
 * restart, can grant a lock twice under these conditions.
 */
public interface CompareAndSetStore {

	/**
	 * Read an entry, with all writes that were acknowledged before the call. A stale
	 * response is safe, but reports a held lock as lost, or a free one as busy.
	 * @param key printable ASCII without spaces, at most 240 characters
	 * @return the entry, or {@code null} if there is none or its time to live has ended
	 * @throws Exception if the store did not respond
	 */
	@Nullable Entry read(String key) throws Exception;

	/**
	 * Create an entry unless it exists, atomically.
	 * @param key key of the entry
	 * @param value printable ASCII and line feeds, at most 70 KB
	 * @param timeToLive time after which the store removes the entry, in whole seconds;
	 * at most a second early, since stores that count seconds begin in the middle of one
	 * @return whether the entry was created
	 * @throws Exception if the store did not respond
	 */
	boolean create(String key, String value, Duration timeToLive) throws Exception;

	/**
	 * Replace an entry if it has not changed, atomically. The time to live starts anew.
	 * @param key key of the entry
	 * @param expected the entry as it was read. Two entries never have the same value, so
	 * a store may compare values instead of versions
	 * @param value the new value
	 * @param timeToLive time after which the store removes the entry, as for a new one
	 * @return whether the entry was replaced; {@code false} if it has changed or ended
	 * @throws Exception if the store did not respond
	 */
	boolean replace(String key, Entry expected, String value, Duration timeToLive) throws Exception;

	/**
	 * Report changes of an entry until the subscription is closed. Lost reports are safe:
	 * they delay a waiter until its next poll.
	 * @param key key of the entry
	 * @param changed called in any thread after each change, does not block
	 * @return the subscription, or {@code null} if the store does not report changes
	 * @throws Exception if the subscription failed; the engine polls then
	 */
	default @Nullable Subscription watch(String key, Runnable changed) throws Exception {
		return null;
	}

	/**
	 * Return the part of the store that serves a key, such as the address of a server. A
	 * part that does not respond delays no requests for keys of other parts.
	 * @param key key of the entry
	 * @return the part; the whole store is one unless the store overrides it
	 */
	default String part(String key) {
		return "";
	}

	/**
	 * Return where the store is, for the log. Sends no request.
	 * @return addresses without credentials, or {@code null} if there are none
	 */
	default @Nullable String location() {
		return null;
	}

	/**
	 * Return whether entries end within seconds after their time to live. Otherwise the
	 * engine offers neither a minimum hold that outlives the process nor a lock delay,
	 * and a process that has just started may find a dead holder's lock busy until then.
	 * @return {@code true}
	 */
	default boolean isPunctual() {
		return true;
	}

	/**
	 * Return the longest time to live that the store accepts. Longer locks are rejected,
	 * at startup if they are known then.
	 * @return the maximum; no limit unless the store overrides it
	 */
	default Duration maxTimeToLive() {
		return LockOptions.UNLIMITED;
	}

	/**
	 * Entry of a store.
	 *
	 * @param value the value
	 * @param version version of the entry in the store, for
	 * {@link CompareAndSetStore#replace}, which no other entry ever has, also not after a
	 * restart of the store; the value itself if the store compares values
	 */
	record Entry(String value, Object version) {

		/**
		 * Create an entry of a store that compares values.
		 * @param value the value
		 */
		public Entry(String value) {
			this(value, value);
		}

	}

}
