package io.leasehold.service;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.event.LockEventListener;

/**
 * The locks of one application: a coordinator for each engine. Thread-safe.
 */
public final class LockService implements DistributedLocks, AutoCloseable {

	private final ServiceSettings settings;

	/**
	 * Create a service.
	 * @param settings how it works
	 * @param engines the engines, each with a name of its own
	 * @param member this application, for owner tokens
	 * @param clock decides how long a grant may be believed in
	 * @param listeners told what happens
	 * @param timing decides when a release takes place
	 */
	public LockService(ServiceSettings settings, Collection<? extends LockEngine> engines, Member member,
			MonotonicClock clock, List<? extends LockEventListener> listeners, ReleaseTiming timing) {
		this.settings = settings;
	}

	@Override
	public LockOptions defaults() {
		return this.settings.defaults();
	}

	@Override
	public HeldLock acquire(String key, LockOptions options) {
		return acquire(new LockKey(key), options);
	}

	/**
	 * Take a lock.
	 * @param key the key
	 * @param options how to take and hold it
	 * @return the held lock, to be closed
	 */
	public HeldLock acquire(LockKey key, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(String key, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Lock asLock(String key, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Take note that a method runs without its lock, as configured.
	 * @param key the key
	 * @param options how the lock would have been taken
	 */
	public void bypassed(LockKey key, LockOptions options) {
	}

	/**
	 * Take note that a call was refused because its key cannot name a lock.
	 * @param options how the lock would have been taken
	 */
	public void keyRefused(LockOptions options) {
	}

	/**
	 * Refuse new acquisitions from now on, and tell when nothing is held any more.
	 * @param whenIdle run once, at once if nothing is held
	 */
	public void drain(Runnable whenIdle) {
	}

	/**
	 * Stop: what is still held is marked as lost and left to its lease.
	 */
	@Override
	public void close() {
	}

}
