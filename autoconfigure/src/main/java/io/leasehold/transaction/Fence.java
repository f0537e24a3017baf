package io.leasehold.transaction;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;

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

	static Fence of(HeldLock lock, String namespace) {
		LockKey key = new LockKey(lock.key());
		return new Fence(key.digest(lock.engine(), namespace), lock.engine(), namespace, key, lock.fencingToken());
	}

}
