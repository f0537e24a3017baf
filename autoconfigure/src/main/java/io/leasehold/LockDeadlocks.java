package io.leasehold;

import java.time.Instant;
import java.util.List;

/**
 * Threads of several processes that wait for each other's locks, as far as the claims in
 * a store show. Immutable.
 * <p>
 * A claim shows its process and the name of its thread. A cycle may be an error, even one
 * that stays, if a process has passed a lock or a place in the queue on to another
 * thread, or has several threads of one name. A thread that waits behind another thread
 * of its process, or for a lock of its process, is not known to the store.
 *
 * @param cycles the cycles, each with the thread of one wait after another: the thread of
 * the next wait holds the awaited lock, and that of the first wait the last one
 * @param complete whether all awaited locks were visited, with at most 100 waits each
 */
public record LockDeadlocks(List<List<Wait>> cycles, boolean complete) {

	/**
	 * Wait of a thread.
	 *
	 * @param application name of the application
	 * @param host name of its host
	 * @param process process id
	 * @param thread name of the thread
	 * @param since time of its request, by the clock of the store or of the process
	 * @param key key of the awaited lock
	 */
	public record Wait(String application, String host, long process, String thread, Instant since, String key) {
	}

}
