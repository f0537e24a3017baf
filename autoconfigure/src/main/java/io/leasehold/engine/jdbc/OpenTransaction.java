package io.leasehold.engine.jdbc;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.leasehold.LockException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The thread's current transaction, with the keys that it has locked. After a failure
 * that may have undone a part of it, it is rolled back instead of committed. A
 * synchronization does that, because the mark on a connection has no effect with JPA.
 * Confined to one thread.
 */
final class OpenTransaction implements TransactionSynchronization {

	private final Object owner;

	private final Map<LockKey, Access> held = new HashMap<>();

	/** Keys that were locked before each savepoint. */
	private final Map<Object, Set<LockKey>> savepoints = new HashMap<>();

	private @Nullable LockException failure;

	private OpenTransaction(Object owner) {
		this.owner = owner;
	}

	/** Return the current transaction. Requires an active synchronization. */
	static OpenTransaction current(Object owner) {
		OpenTransaction known = find(owner);
		if (known != null) {
			return known;
		}
		OpenTransaction begun = new OpenTransaction(owner);
		TransactionSynchronizationManager.registerSynchronization(begun);
		return begun;
	}

	/** Return the current transaction if it was used before. */
	static @Nullable OpenTransaction find(Object owner) {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			for (TransactionSynchronization one : TransactionSynchronizationManager.getSynchronizations()) {
				if (one instanceof OpenTransaction transaction && transaction.owner == owner) {
					return transaction;
				}
			}
		}
		return null;
	}

	@Nullable Access held(LockKey key) {
		return this.held.get(key);
	}

	/** Record a lock. A shared one that follows an exclusive one changes nothing. */
	void hold(LockKey key, Access access) {
		this.held.putIfAbsent(key, access);
	}

	void fail(LockException failure) {
		this.failure = failure;
	}

	boolean hasFailed() {
		return this.failure != null;
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.put(savepoint, Set.copyOf(this.held.keySet()));
	}

	/**
	 * Forget the keys that were locked after a savepoint, because some databases release
	 * them. An unknown savepoint precedes all keys.
	 */
	@Override
	public void savepointRollback(Object savepoint) {
		this.held.keySet().retainAll(this.savepoints.getOrDefault(savepoint, Set.of()));
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (this.failure != null) {
			throw this.failure;
		}
	}

}
