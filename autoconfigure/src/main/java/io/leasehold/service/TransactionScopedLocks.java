package io.leasehold.service;

import java.time.Duration;
import java.util.function.Predicate;

import io.leasehold.LockBusyException;
import io.leasehold.LockException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.TransactionLocks;
import io.leasehold.engine.TransactionLocks.Outcome;
import io.leasehold.event.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Locks that are part of the caller's transaction and end with it. They have no lease,
 * gate or token. They are reported like other locks, with the token zero. Thread-safe.
 */
public final class TransactionScopedLocks {

	private static final String NO_TRANSACTION = "no transaction is active. Annotate it with @Transactional. If it is, its"
			+ " transaction begins inside the lock: set @EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE - 1)";

	private static final String OTHER_TRANSACTION = "it is not a transaction of the application's DataSource";

	private final String engine;

	private final @Nullable TransactionLocks locks;

	private final MonotonicClock clock;

	private final Events events;

	private final ReleaseTiming timing;

	TransactionScopedLocks(LockEngine engine, MonotonicClock clock, Events events, ReleaseTiming timing) {
		this.engine = engine.name();
		this.locks = engine.transactionLocks();
		this.clock = clock;
		this.events = events;
		this.timing = timing;
	}

	/**
	 * Return why the engine does not support options in a transaction.
	 * @param options how to acquire the lock
	 * @return a clause, or {@code null} if it supports them, or if that is not known yet
	 */
	public @Nullable String unsupported(LockOptions options) {
		return (this.locks != null) ? this.locks.unsupported(Access.of(options.terms())) : "its locks are leases";
	}

	/** Return whether a failed request has left a transaction that can only roll back. */
	public boolean mustRollBack() {
		return this.locks != null && this.locks.mustRollBack();
	}

	/**
	 * Lock keys until the end of the current transaction. If one of them is busy, those
	 * before it stay locked.
	 * @param options access and wait time; lease and other times are not used
	 * @param method name of the calling method
	 * @param bypassed whether the caller continues after an exception
	 * @throws LockBusyException if another transaction held one of them for the whole
	 * wait time
	 * @throws io.leasehold.LockEngineException if the database did not respond
	 * @throws IllegalStateException if the current transaction cannot hold the lock
	 */
	public void acquireAll(LockKeys keys, LockOptions options, String method, Predicate<LockException> bypassed) {
		long start = this.clock.nanoTime();
		for (LockKey key : keys.all()) {
			TransactionAcquisition acquisition = new TransactionAcquisition(this.engine, options, key, this.events,
					this.clock.nanoTime());
			try {
				boolean reentered = acquire(acquisition, options, start, method);
				acquired(acquisition, reentered);
			}
			catch (RuntimeException ex) {
				acquisition.ended(Reports.outcomeOf(ex, bypassed), ex, this.clock.nanoTime());
				if (mustRollBack()) {
					this.timing.refuseCommit(ex);
				}
				throw ex;
			}
		}
	}

	private void acquired(TransactionAcquisition acquisition, boolean reentered) {
		long since = this.clock.nanoTime();
		acquisition.ended(reentered ? AcquireOutcome.REENTERED : AcquireOutcome.ACQUIRED, null, since);
		if (!reentered) {
			this.timing.releases().execute(() -> acquisition.released(this.clock.nanoTime() - since));
		}
	}

	/** Acquire a key, and return whether the transaction held it before. */
	private boolean acquire(TransactionAcquisition acquisition, LockOptions options, long start, String method) {
		LockKey key = acquisition.key();
		if (!this.timing.isTransactionOpen()) {
			throw refused(key, method, NO_TRANSACTION);
		}
		Object resource = (this.locks != null) ? this.locks.resource() : null;
		if (resource != null && !this.timing.isTransactionOf(resource)) {
			throw refused(key, method, OTHER_TRANSACTION);
		}
		if (Thread.currentThread().isInterrupted()) {
			throw new LockInterruptedException(key);
		}
		Outcome outcome = request(key, options, Duration.ZERO);
		Duration rest = options.waitTime().minusNanos(this.clock.nanoTime() - start);
		if (outcome instanceof Outcome.Busy && rest.compareTo(Duration.ZERO) > 0) {
			acquisition.waitStarted();
			outcome = request(key, options, rest);
		}
		if (outcome instanceof Outcome.Refused refused) {
			throw refused(key, method, refused.reason());
		}
		if (outcome instanceof Outcome.Granted granted) {
			return granted.reentered();
		}
		Duration waited = Duration.ofNanos(this.clock.nanoTime() - start);
		throw new LockBusyException(key,
				"Lock '%s' could not be acquired within %s ms: another transaction held it (engine: %s)".formatted(key,
						waited.toMillis(), this.engine),
				waited);
	}

	private Outcome request(LockKey key, LockOptions options, Duration wait) {
		return (this.locks != null) ? this.locks.acquire(key, Access.of(options.terms()), wait)
				: new Outcome.Refused("its engine has no locks in transactions");
	}

	private IllegalStateException refused(LockKey key, String method, String reason) {
		return new IllegalStateException("Method '%s' cannot lock '%s' in its transaction: %s (engine: %s)"
			.formatted(method, key, reason, this.engine));
	}

}
