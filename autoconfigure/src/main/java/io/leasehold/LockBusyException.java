package io.leasehold;

import java.time.Duration;
import java.util.List;

/**
 * Exception for a lock that another owner still held at the end of the wait time. The
 * store responded; otherwise a {@link LockEngineException} is thrown. Immutable.
 */
public class LockBusyException extends LockException {

	private static final long serialVersionUID = 1L;

	private final Duration waited;

	private final List<LockHolder> holders;

	private final List<String> ownKeys;

	/** Create an exception that names no holder. */
	public LockBusyException(LockKey key, String message, Duration waited) {
		this(key, message, waited, List.of(), List.of());
	}

	/**
	 * Create an exception that names the holders.
	 * @param key the key
	 * @param message what failed, why, and what to do
	 * @param waited how long the caller waited
	 * @param holders the holders of the key, empty if unknown
	 * @param ownKeys the keys of the locks under which the caller runs
	 */
	public LockBusyException(LockKey key, String message, Duration waited, List<LockHolder> holders,
			List<String> ownKeys) {
		super(key.value(), message, null);
		this.waited = waited;
		this.holders = List.copyOf(holders);
		this.ownKeys = List.copyOf(ownKeys);
	}

	/** Return how long the caller waited, zero for a single attempt. */
	public Duration getWaited() {
		return this.waited;
	}

	/**
	 * Return the holders that the store reported after the wait. Their number and order
	 * are those of {@link LockInspector#inspect(String, LockKey)}.
	 * @return the holders; empty if the store was not queried, did not respond, or
	 * reported none because the lock had just been released
	 */
	public List<LockHolder> getHolders() {
		return this.holders;
	}

	/**
	 * Return the keys of the locks under which the caller itself runs. If the holder of
	 * the busy lock waits for one of them, the two callers are in a deadlock.
	 * @return the keys, innermost first; empty if the caller runs under no lock, or if
	 * the store was not queried
	 */
	public List<String> getOwnKeys() {
		return this.ownKeys;
	}

}
