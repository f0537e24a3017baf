package io.leasehold;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Read access to locks, and forced release, for operators and monitoring code.
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
	 * Return a page of the locks that any process holds, from the store. A lock that is
	 * held throughout the listing is on at least one of its pages. Others may be missing,
	 * and a lock may be repeated. Each call visits a limited number of keys of the store,
	 * so a page may be empty although others follow.
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
	 * Release a key by force, whichever process holds it. Its holders are notified of the
	 * loss: at once in this process, at the latest at their next renewal in others. Their
	 * work continues, concurrently with that of the next holder. Nothing is logged; the
	 * endpoint does that.
	 * @return the holders that lost it, empty if the key was free
	 * @throws LockEngineException if the store did not respond
	 */
	List<LockHolder> forceRelease(String engine, LockKey key);

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
