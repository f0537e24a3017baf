package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.Owner;
import io.leasehold.engine.support.StoreCalls;
import org.jspecify.annotations.Nullable;

/**
 * Locks whose claims have ended, and whose keys stay for a minimum hold. A claim of a
 * process that died ends with its session. If it has a lock delay, or its minimum hold
 * has been moved to a lease that renewals extend, it counts as the holder for as long as
 * its key stays. Times are those of the processes' clocks, and rests are whole seconds.
 * Thread-safe.
 */
record KeptClaims(Store store, EtcdKeys keys, Operator operator, OwnLeases ownLeases,
		StoreCalls calls) implements KeptKeys {

	@Override
	public @Nullable Kept find(LockKey key) {
		return this.calls.<@Nullable Kept>run("inspect", key, (deadline) -> {
			KeyValue found = findKey(key, deadline);
			return (found != null) ? kept(found, deadline) : null;
		});
	}

	@Override
	public @Nullable Kept open(LockKey key) {
		return this.calls.<@Nullable Kept>run("end the minimum hold of", key, (deadline) -> {
			KeyValue found = findKey(key, deadline);
			Kept kept = (found != null) ? kept(found, deadline) : null;
			return (found != null && kept != null && remove(found, deadline)) ? kept : null;
		});
	}

	/** The key stays the same, so that the waiting claims behind it keep their places. */
	@Override
	public @Nullable Kept replace(LockKey key, Owner owner, Duration duration) {
		return this.calls.<@Nullable Kept>run("replace the minimum hold of", key, (deadline) -> {
			while (true) {
				KeyValue found = findKey(key, deadline);
				Kept kept = (found != null) ? kept(found, deadline) : null;
				if (found == null || kept == null || replace(found, owner, duration, deadline)) {
					return kept;
				}
			}
		});
	}

	/**
	 * Write the key as it was found, on a new lease. Its former lease ends by itself.
	 * @return whether the key was still as it was found
	 */
	private boolean replace(KeyValue key, Owner owner, Duration duration, long deadline) throws EtcdException {
		long lease = this.ownLeases.create(duration, deadline).number(2);
		Reply reply = this.store.transact(List.of(Operation.isWritten(key.key(), key.written())),
				List.of(Operation.put(key.key(), ClaimValue.replaced(owner, this.operator.time()), lease)),
				List.of(Operation.read(Operation.get(key.key(), true))), deadline);
		// A transaction that was sent twice may have failed because of the first one
		boolean replaced = reply.succeeded() || reply.keys(0).stream().anyMatch((found) -> found.lease() == lease);
		if (replaced) {
			this.ownLeases.use(lease);
		}
		else {
			this.ownLeases.revoke(lease, deadline);
		}
		return replaced;
	}

	/** The key of an exclusive claim that was granted is the first one of its lock. */
	private @Nullable KeyValue findKey(LockKey key, long deadline) throws EtcdException {
		List<KeyValue> first = this.store.list(Operation.first(this.keys.claims(key)), deadline);
		boolean exclusive = !first.isEmpty() && EtcdKeys.access(first.get(0).key()).equals(Access.EXCLUSIVE);
		return (exclusive && ClaimValue.hasEnded(first.get(0).value(), this.operator.endedSessions(first, deadline)))
				? first.get(0) : null;
	}

	/** The lease of the key ends with the minimum hold. */
	private @Nullable Kept kept(KeyValue key, long deadline) throws EtcdException {
		Duration remaining = this.store.remaining(key.lease(), deadline);
		return (remaining != null) ? new Kept(ClaimValue.holder(key),
				ClaimValue.isClosed(key.value()) ? ClaimValue.released(key.value()) : null, remaining) : null;
	}

	/**
	 * Remove the key as it was found: the claim of a lost session may have continued in
	 * the next one. A removal that was sent twice may have found nothing because of the
	 * first one.
	 */
	private boolean remove(KeyValue key, long deadline) throws EtcdException {
		int failures = this.store.members().failures();
		Reply reply = this.store.transact(List.of(Operation.isWritten(key.key(), key.written())),
				List.of(Operation.remove(key.key())), List.of(), deadline);
		if (reply.succeeded() && this.store.keysOn(key.lease(), deadline).isEmpty()) {
			this.ownLeases.revoke(key.lease(), deadline);
		}
		return reply.succeeded() || failures != this.store.members().failures();
	}

}
