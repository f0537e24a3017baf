package io.leasehold;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Read access to locks, forced release, and pauses, for operators and monitoring code.
 * Thread-safe; one bean per application.
 * <p>
 * An engine is given by its name; the empty name is the default engine. Every method with
 * an engine throws an {@link IllegalArgumentException} if there is no such engine.
 */
public interface LockInspector {

	/** Return the names of all engines in alphabetical order. */
	Set<String> engines();

	/**
	 * Return where an engine's store is. Sends no request.
	 * @return addresses without credentials, or {@code null} for a store in this JVM, or
	 * while the address is unknown
	 */
	@Nullable String location(String engine);

	/**
	 * Return the shortest lease that an engine accepts, which is the shortest that it can
	 * renew in time.
	 */
	Duration minLease(String engine);

	/**
	 * Return how long an engine keeps a key of a process that died, if that is longer
	 * than its lease requires: the timeout of the engine's session. Zero otherwise.
	 */
	Duration sessionTimeout(String engine, Duration lease);

	/**
	 * Return the locks that this process holds and the callers that wait in it. Sends no
	 * request.
	 */
	LockOverview overview();

	/**
	 * Return the holds of one key in this process and the callers that wait for it here.
	 * Sends no request.
	 */
	LockOverview overview(String engine, LockKey key);

	/**
	 * Return the holders of a key, in any process, from the store.
	 * @return the holders in the order of their grants, empty if the key is free
	 * @throws LockEngineException if the store did not respond
	 */
	List<LockHolder> inspect(String engine, LockKey key);

	/**
	 * Return a page of the locks that any process holds, from the store. A grant that
	 * lasts throughout the listing is on at least one of its pages, unless a server of
	 * Redis restarts or a slot moves meanwhile. Others may be missing, and a lock may be
	 * repeated. Each call visits a limited number of keys of the store, so a page may be
	 * empty although others follow. Calls wait for each other.
	 * @param prefix beginning of the keys, may be empty
	 * @param after {@link LockPage#next()} of the page before, or {@code null} to begin
	 * @param limit number of locks after which the page ends, from 1 to 500. With engine
	 * {@code redis}, a page may exceed it
	 * @return the page
	 * @throws UnsupportedOperationException if the engine cannot list its locks
	 * @throws IllegalArgumentException if the limit is invalid, or if the store cannot
	 * continue after the page before
	 * @throws LockEngineException if the store did not respond
	 */
	LockPage held(String engine, String prefix, @Nullable String after, int limit);

	/**
	 * Search the store for threads of several processes that wait for each other's locks.
	 * Sends requests for all awaited locks, at most those for twenty pages of 500 locks
	 * each, and ends after about 20,000 waits. Calls wait for each other, and for those
	 * of {@link #held}.
	 * @return the cycles that were found
	 * @throws UnsupportedOperationException if the engine's store does not know which
	 * threads wait, or if the engine cannot list its locks
	 * @throws LockEngineException if the store did not respond
	 */
	LockDeadlocks deadlocks(String engine);

	/**
	 * Release a key by force, whichever process holds it. Its holders are notified of the
	 * loss: at once in this process, at the latest at their next renewal in others. Their
	 * work continues, concurrently with that of the next holder. Nothing is logged; the
	 * endpoint does that.
	 * @return the holders that lost it, empty if the key was free
	 * @throws LockEngineException if the store did not respond
	 */
	List<LockHolder> forceRelease(String engine, LockKey key);

	/**
	 * Return how a key without a holder is kept locked: a job between two runs, or a
	 * paused one. Only exclusive locks with a minimum hold are kept.
	 * @return its last holder and the rest of its minimum hold; {@code null} if the key
	 * is held or free, or if the engine cannot show this
	 * @throws LockEngineException if the store did not respond
	 */
	@Nullable KeptLock kept(String engine, LockKey key);

	/**
	 * End the minimum hold or the pause of a key, so that a job can run again before its
	 * period ends. Nothing is logged; the endpoint does that.
	 * @return how the key was kept, or {@code null} if it was not; a lock delay, or
	 * minimum holds of shared locks and permits, may lock it nevertheless
	 * @throws LockBusyException if the key is held; names the holders
	 * @throws UnsupportedOperationException if the engine cannot do this
	 * @throws LockEngineException if the store did not respond; the key may be open
	 */
	@Nullable KeptLock open(String engine, LockKey key);

	/**
	 * Keep a key locked until it is {@linkplain #open opened} or a time has passed, also
	 * over restarts of the applications. A minimum hold or pause that keeps the key now
	 * is replaced in one step: no caller acquires the key meanwhile, and those that wait
	 * continue to wait. Nothing is logged; the endpoint does that.
	 * @param duration how long, from a millisecond to a year or the longest time that the
	 * engine supports; {@code null} for the longest
	 * @param operator name of the operator, whom messages and {@link KeptLock#pausedBy()}
	 * name
	 * @return how the key was kept before; {@code null} if it was free
	 * @throws LockBusyException if the key is held or its next owner waits; names the
	 * holders. Nothing has changed then
	 * @throws IllegalArgumentException if the duration is out of range
	 * @throws UnsupportedOperationException if the engine cannot do this
	 * @throws LockEngineException if the store did not respond; the key may be paused, or
	 * as before
	 */
	@Nullable KeptLock pause(String engine, LockKey key, @Nullable Duration duration, String operator);

	/**
	 * Acquire and release an internal lock, to prove that the store grants locks; return
	 * how long that took. Blocks for two of the engine's calls, and for two more if other
	 * processes probe at the same moment.
	 * @throws LockEngineException if the store did not grant or release it
	 */
	Duration probe(String engine);

	/**
	 * Return whether an engine's store responds, as the requests of this process show.
	 * False from the first request without a response until the next response. Sends no
	 * request.
	 */
	boolean isUp(String engine);

	/**
	 * Return the present problems of an engine's threads. Does not block.
	 * @return one sentence per finding, empty if there is none
	 */
	List<String> findings(String engine);

	/**
	 * Return how many events of an engine's locks were dropped because too many were
	 * waiting for a listener, since startup.
	 */
	long droppedEvents(String engine);

}
