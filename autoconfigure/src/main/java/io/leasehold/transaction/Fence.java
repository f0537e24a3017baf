package io.leasehold.transaction;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;

/**
 * Row of a lock in the fence table. Tokens of two engines do not compare, so each has a
 * row of its own.
 *
 * @param id SHA-256 of engine, namespace and key, which no collation, padding or
 * truncation of a database can take for another
 * @param engine name of the engine
 * @param namespace namespace of the application's locks
 * @param key the key
 * @param token the token that is to be announced and compared
 */
record Fence(byte[] id, String engine, String namespace, LockKey key, long token) {

	static Fence of(HeldLock lock, String namespace) {
		LockKey key = new LockKey(lock.key());
		return new Fence(key.digest(lock.engine(), namespace), lock.engine(), namespace, key, lock.fencingToken());
	}

}
