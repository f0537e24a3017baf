package io.leasehold.transaction;

import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.StaleFencingTokenException;
import io.leasehold.service.Handles;

/**
 * Row of a lock in the fence table. Each engine has separate rows, because the tokens of
 * two engines are not comparable.
 *
 * @param id SHA-256 of engine, namespace and key, which a database distinguishes despite
 * collation, padding or truncation
 * @param namespace namespace of the application's locks
 * @param token the token to announce and compare
 */
record Fence(byte[] id, String engine, String namespace, LockKey key, long token) {

	/**
	 * Return the fences of a lock's keys.
	 * @throws IllegalStateException if the lock cannot be fenced
	 */
	static List<Fence> allOf(HeldLock lock, String namespace) {
		return lock.parts().stream().map((part) -> of(part, namespace)).toList();
	}

	private static Fence of(HeldLock lock, String namespace) {
		String reason = Handles.unfenceable(lock);
		if (reason != null) {
			throw new IllegalStateException("Lock '%s' cannot be fenced: %s (engine: %s)"
				.formatted(LockKey.readable(lock.key()), reason, lock.engine()));
		}
		LockKey key = new LockKey(lock.key());
		return new Fence(key.digest(lock.engine(), namespace), lock.engine(), namespace, key, lock.fencingToken());
	}

	/** Return the failure to fence a lock inside a transaction. */
	static IllegalStateException openBefore(HeldLock lock) {
		return new IllegalStateException(
				"Lock '%s' cannot be fenced in a transaction that was open before: data that it has read may be stale. Acquire the lock first, then begin the transaction"
					.formatted(LockKey.readable(lock.key())));
	}

	/** Return the failure of a transaction that cannot be compared. */
	IllegalStateException otherDatabase() {
		return new IllegalStateException(
				"Lock '%s' is fenced in a database that takes no part in this transaction: the transaction was rolled back. Commit it outside the fenced method"
					.formatted(this.key));
	}

	/**
	 * Return the failure of a former owner.
	 * @param found what the table contains instead of the token
	 */
	StaleFencingTokenException stale(String found) {
		return new StaleFencingTokenException(this.key.value(), this.token,
				"Token %s of lock '%s' is stale: %s (engine: %s)".formatted(this.token, this.key, found, this.engine));
	}

}
