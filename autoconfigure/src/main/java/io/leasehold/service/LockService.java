package io.leasehold.service;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.LockView;
import io.leasehold.ReadWriteLockView;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEventListener;
import org.jspecify.annotations.Nullable;

/**
 * Locks of all engines of one application. Thread-safe.
 */
public final class LockService implements DistributedLocks, AutoCloseable {

	private final ServiceSettings settings;

	private final Member member;

	private final Engines engines;

	private final LockInspector inspector;

	private final AtomicBoolean drained = new AtomicBoolean();

	/**
	 * Create a service.
	 * @param engines the engines, each with a unique name
	 * @param member this application, for owner tokens
	 * @param clock monotonic clock for the validity of grants
	 * @param listeners notified of events
	 * @param timing decides when locks are released
	 * @throws IllegalArgumentException if two engines have the same name, or none has the
	 * name of the default engine
	 */
	public LockService(ServiceSettings settings, Collection<? extends LockEngine> engines, Member member,
			MonotonicClock clock, List<? extends LockEventListener> listeners, ReleaseTiming timing) {
		this(settings, engines, member, clock, listeners, timing, EngineThreads::new, BlockingWaiter::new);
	}

	LockService(ServiceSettings settings, Collection<? extends LockEngine> engines, Member member, MonotonicClock clock,
			List<? extends LockEventListener> listeners, ReleaseTiming timing, Function<String, EngineThreads> threads,
			BlockingWaiter.Factory waiters) {
		this.settings = settings;
		this.member = member;
		Deadlocks deadlocks = new Deadlocks(settings.deadlock());
		Map<String, EngineLocks> byName = new HashMap<>();
		for (LockEngine engine : engines) {
			EngineLocks locks = new EngineLocks(settings, engine, member, clock, listeners, timing,
					threads.apply(engine.name()), waiters, deadlocks);
			if (byName.put(engine.name(), locks) != null) {
				throw new IllegalArgumentException("Two lock engines are named '%s'".formatted(engine.name()));
			}
		}
		this.engines = new Engines(Map.copyOf(byName), settings.defaults().engine());
		this.inspector = new LockOperators(this.engines, clock);
	}

	@Override
	public LockOptions defaults() {
		return this.settings.defaults();
	}

	/** Return the operators' access to these locks, which cannot be closed. */
	public LockInspector inspector() {
		return this.inspector;
	}

	/**
	 * Return an engine.
	 * @param name its name, or empty for the default engine
	 * @throws IllegalArgumentException if no engine has that name
	 */
	public LockEngine engine(String name) {
		return this.engines.get(name).engine;
	}

	/**
	 * Return the first form or time that options require and their engine does not
	 * support, {@code null} for none.
	 * @throws IllegalArgumentException if there is no such engine
	 */
	public @Nullable UnsupportedForm unsupported(LockOptions options) {
		return EngineForms.unsupported(options, engine(options.engine()));
	}

	/**
	 * Return why locks cannot be fenced, in a clause; {@code null} if they can.
	 * @throws IllegalArgumentException if there is no such engine
	 */
	public @Nullable String unfenceable(LockOptions options) {
		return EngineForms.unfenceable(options, engine(options.engine()));
	}

	/**
	 * Return the locks of an engine that are part of callers' transactions.
	 * @param engine its name, or empty for the default engine
	 */
	public TransactionScopedLocks inTransactions(String engine) {
		return this.engines.get(engine).inTransactions;
	}

	/** Return how a holder is notified of the loss of its lock. */
	public OnLost onLost() {
		return this.settings.onLost();
	}

	@Override
	public HeldLock acquire(String key, LockOptions options) {
		return acquire(new LockKey(key), options);
	}

	/**
	 * Acquire a lock.
	 * @param options how to acquire and hold it
	 * @return the held lock, to be closed
	 * @throws io.leasehold.LockBusyException if another owner held it for the whole wait
	 * time
	 * @throws LockEngineException if the store did not respond within that time
	 * @throws io.leasehold.LockInterruptedException if the thread was interrupted
	 */
	public HeldLock acquire(LockKey key, LockOptions options) {
		return acquire(key, options, Acquirer.NEVER_BYPASSED);
	}

	/**
	 * Acquire a lock, for a caller that continues without it after certain exceptions.
	 * After a failure of the store, such a call counts as
	 * {@link AcquireOutcome#BYPASSED}. After the wait for a busy lock, its holders are
	 * not looked up.
	 * @param options how to acquire and hold it
	 * @param bypassed whether the caller continues after an exception, which is thrown in
	 * either case
	 * @return the held lock, to be closed
	 * @see #acquire(LockKey, LockOptions)
	 */
	public HeldLock acquire(LockKey key, LockOptions options, Predicate<LockException> bypassed) {
		return this.engines.supporting(options).acquirer.acquire(key, options, false, bypassed);
	}

	@Override
	public Optional<HeldLock> tryAcquire(String key, LockOptions options) {
		try {
			return Optional.of(acquire(new LockKey(key), options, Acquirer.BUSY_BYPASSED));
		}
		catch (LockBusyException ex) {
			return Optional.empty();
		}
	}

	@Override
	public HeldLock acquireAll(Collection<String> keys, LockOptions options) {
		return acquireAll(LockKeys.of(keys), options, Acquirer.NEVER_BYPASSED);
	}

	/**
	 * Acquire the locks of several keys.
	 * @param keys the keys, at least one
	 * @param options how to acquire and hold them
	 * @param bypassed whether the caller continues after an exception, which is thrown in
	 * either case
	 * @return the held locks as one, to be closed
	 * @see #acquireAll(Collection, LockOptions)
	 */
	public HeldLock acquireAll(LockKeys keys, LockOptions options, Predicate<LockException> bypassed) {
		EngineLocks locks = this.engines.supporting(options);
		LockKey only = keys.single();
		return (only != null) ? locks.acquirer.acquire(only, options, false, bypassed)
				: locks.acquireAll(keys, options, bypassed);
	}

	@Override
	public HeldLock acquirePermits(String key, int count, LockOptions options) {
		return this.engines.supporting(options).permits.acquire(new LockKey(key), count, options);
	}

	@Override
	public boolean isCurrent(String key, long token, LockOptions options) {
		return locks(options).isCurrent(new LockKey(key), token);
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(String key, LockOptions options) {
		return acquireAllAsync(LockKeys.of(new LockKey(key)), options, List.of(), Acquirer.NEVER_BYPASSED);
	}

	/**
	 * Acquire the locks of one or several keys without blocking the caller. Completing or
	 * cancelling the future ends the wait, or releases the locks if they were just
	 * granted. The future completes in a thread that may run user code.
	 * @param options how to acquire and hold them
	 * @param outer locks under which the caller already runs: their keys are re-entered
	 * @param bypassed whether the caller continues after an exception
	 * @return completes with the held locks, or with the exceptions of
	 * {@link #acquireAll}
	 */
	public CompletableFuture<HeldLock> acquireAllAsync(LockKeys keys, LockOptions options, List<HeldLock> outer,
			Predicate<LockException> bypassed) {
		return this.engines.supporting(options).acquireAllAsync(keys, options, outer, bypassed);
	}

	/**
	 * Close a lock without blocking the caller. The future completes in a thread that may
	 * run user code.
	 * @param options how it was acquired
	 * @return completes when it is closed, or with the exception that closing it throws
	 */
	public CompletableFuture<Void> closeAsync(HeldLock lock, LockOptions options) {
		return locks(options).closer.closeAsync(lock);
	}

	/**
	 * Mark a lock as lost, because its holder's result was cancelled while the work may
	 * continue. The lock is no longer renewed. Its key becomes available when the lock is
	 * closed, which must mean that the work has ended, or when the lease ends. Does
	 * nothing for a closed lock.
	 */
	public void cancelled(HeldLock lock) {
		Handle.in(lock).forEach(Handle::cancel);
	}

	@Override
	public LockView asLock(String key, LockOptions options) {
		return new KeyLock(this.engines.supporting(options), new LockKey(key), options);
	}

	@Override
	public ReadWriteLockView asReadWriteLock(String key, LockOptions options) {
		return new KeyLock.Pair(asLock(key, options.toBuilder().mode(LockMode.SHARED).build()),
				asLock(key, options.toBuilder().mode(LockMode.EXCLUSIVE).build()));
	}

	/** Publish that a call was rejected because its key cannot name a lock. */
	public void keyRefused(LockOptions options) {
		locks(options).publishEnd(options, AcquireOutcome.ERROR, null);
	}

	/** Publish that a call acquires no lock. */
	public void notWanted(LockOptions options) {
		locks(options).publishEnd(options, AcquireOutcome.NOT_WANTED, null);
	}

	/** Notify and log holders of a shutdown, before the {@link #drain}. */
	public void stopping() {
		this.engines.all().forEach(EngineLocks::stopping);
	}

	/**
	 * Reject new acquisitions, and run an action once nothing is held.
	 * @param whenIdle run once, immediately if nothing is held
	 */
	public void drain(Runnable whenIdle) {
		this.drained.set(true);
		AtomicInteger busy = new AtomicInteger(this.engines.all().size());
		this.engines.all().forEach((locks) -> locks.drain(() -> {
			if (busy.decrementAndGet() == 0) {
				whenIdle.run();
			}
		}));
	}

	/**
	 * Accept acquisitions again after a {@link #drain}, as another member, because
	 * several processes may continue from one snapshot. Locks that are still held are
	 * marked as lost, and their leases expire. Does nothing without a drain.
	 */
	public void resume() {
		if (this.drained.compareAndSet(true, false)) {
			this.member.renew();
			this.engines.all().forEach(EngineLocks::resume);
		}
	}

	/** Close the service. Remaining locks are marked as lost, and their leases expire. */
	@Override
	public void close() {
		this.engines.all().forEach(EngineLocks::close);
	}

	private EngineLocks locks(LockOptions options) {
		return this.engines.get(options.engine());
	}

}
