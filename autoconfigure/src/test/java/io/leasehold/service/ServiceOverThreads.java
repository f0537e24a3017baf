package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import io.leasehold.LockOptions;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;

/**
 * The locks of one process whose threads are a test's.
 */
final class ServiceOverThreads implements AutoCloseable {

	static final LockOptions OPTIONS = new LockOptions("test", "local", Duration.ofSeconds(10), Duration.ofSeconds(20),
			Duration.ZERO, LockOptions.UNLIMITED);

	final EngineLocks locks;

	ServiceOverThreads(LockEngine engine, EngineThreads threads) {
		this(engine, threads, MonotonicClock.SYSTEM);
	}

	ServiceOverThreads(LockEngine engine, EngineThreads threads, MonotonicClock clock) {
		this.locks = new EngineLocks(new ServiceSettings(OPTIONS, OnLost.THROW, 63, Duration.ofSeconds(5)), engine,
				Member.of("test"), clock, List.of(), ReleaseTiming.IMMEDIATE, threads, BlockingWaiter::new,
				new Deadlocks(DeadlockPolicy.WARN));
	}

	HeldLock acquire(String key) {
		return acquire(key, OPTIONS);
	}

	HeldLock acquire(String key, LockOptions options) {
		return this.locks.acquirer.acquire(new LockKey(key), options, false, Acquirer.NEVER_BYPASSED);
	}

	CompletableFuture<HeldLock> acquireAsync(String key) {
		return acquireAsync(key, OPTIONS);
	}

	CompletableFuture<HeldLock> acquireAsync(String key, LockOptions options) {
		return this.locks.acquireAllAsync(LockKeys.of(new LockKey(key)), options, List.of(), Acquirer.NEVER_BYPASSED);
	}

	List<String> findings() {
		return this.locks.findings();
	}

	/** How many threads of a kind there are. */
	static long count(String prefix) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith(prefix))
			.count();
	}

	@Override
	public void close() {
		this.locks.close();
	}

}
