package io.leasehold.leadership;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

import io.leasehold.HeldLock;

/**
 * Candidacy of this process for a role, in which one process leads at a time. A term is
 * the hold of a lock: it begins when the lock is granted and ends when it is released or
 * lost. Its number is the fencing token of the lock. Thread-safe.
 * <p>
 * A process that is paused between this check and an act of a leader may be no leader any
 * more when it acts. What must not happen twice has to compare the {@link #term()}, or
 * run in a transaction that is fenced.
 */
public interface Leadership {

	/** Return the name of the role. */
	String role();

	/**
	 * Return whether this process leads now, by its own clock and without a request.
	 * @return {@code false} before another process can lead, and while the lock is in
	 * doubt
	 */
	boolean isLeader();

	/**
	 * Return the number of this process's term. It is greater than those of all earlier
	 * terms, of whatever process.
	 * @return the number, or empty if this process does not lead
	 */
	OptionalLong term();

	/**
	 * Enter the lock of this process's term, for a piece of work of the leader. Sends no
	 * request. While it is open, no other process leads, even if this one steps down. Use
	 * a {@linkplain io.leasehold.HeldLockScope scope} to guard the commits of the work.
	 * @return the lock, to be closed; empty if this process does not lead
	 */
	Optional<HeldLock> tryEnter();

	/**
	 * End the term of this process, and let another one lead. Listeners are notified
	 * before another process can lead. Returns at once.
	 * @param pause how long this process is no candidate, even if no other one is
	 * @throws IllegalArgumentException if the pause is negative
	 */
	void stepDown(Duration pause);

}
