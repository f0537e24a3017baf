package io.leasehold.engine.etcd;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leasehold.LockKey;
import io.leasehold.engine.HeldKeys.HeldKey;
import io.leasehold.engine.Holder;
import io.leasehold.engine.MonotonicClock;

/**
 * Requests of operators: the holders of a lock, and their removal.
 */
record Operator(Store store, EtcdKeys keys, OwnLeases ownLeases, MonotonicClock clock) {

	List<Holder> inspect(LockKey key, long deadline) throws EtcdException {
		return find(key, false, deadline).holders();
	}

	/**
	 * Return the holders of a lock.
	 * @param awaited whether to return also the waiting claims
	 */
	HeldKey find(LockKey key, boolean awaited, long deadline) throws EtcdException {
		List<KeyValue> all = this.store.list(Operation.list(this.keys.claims(key)), deadline);
		return held(key, all, awaited, endedSessions(all, deadline));
	}

	/** Return the holders of a lock, and the waiting claims, of all claims on it. */
	static HeldKey held(LockKey key, List<KeyValue> claims, boolean awaited, Set<Long> endedSessions) {
		List<KeyValue> all = claims.stream().sorted(Comparator.comparingLong(KeyValue::created)).toList();
		ClaimOrder order = new ClaimOrder(all.stream().map(KeyValue::key).toList());
		Stream<KeyValue> waiting = (awaited && !all.isEmpty() && !order.held().isPermit())
				? IntStream.range(0, all.size()).filter((i) -> !order.holds(i)).mapToObj(all::get) : Stream.empty();
		return new HeldKey(key, holders(all, endedSessions).stream().map(ClaimValue::holder).toList(),
				waiting.limit(HeldKey.MOST_WAITERS).map(ClaimValue::holder).toList());
	}

	List<Holder> forceRelease(LockKey key, long deadline) throws EtcdException {
		while (true) {
			List<KeyValue> present = holders(key, deadline);
			List<Holder> lost = new ArrayList<>();
			for (KeyValue holder : present) {
				if (remove(holder, deadline)) {
					lost.add(ClaimValue.holder(holder));
				}
			}
			if (!lost.isEmpty() || present.isEmpty()) {
				return lost;
			}
			// All were released meanwhile: retry with their successors, if any
		}
	}

	/** Return the keys that hold the lock, except those whose claims have ended. */
	private List<KeyValue> holders(LockKey key, long deadline) throws EtcdException {
		List<KeyValue> all = this.store.list(Operation.list(this.keys.claims(key)), deadline);
		return holders(all, endedSessions(all, deadline));
	}

	/**
	 * Return the holders of all claims on a lock in the order of their creation.
	 * @param endedSessions ids of sessions that have ended
	 */
	static List<KeyValue> holders(List<KeyValue> all, Set<Long> endedSessions) {
		ClaimOrder order = new ClaimOrder(all.stream().map(KeyValue::key).toList());
		List<KeyValue> holders = new ArrayList<>();
		for (int i = 0; i < all.size() && order.holds(i); i++) {
			if (!ClaimValue.hasEnded(all.get(i).value(), endedSessions)) {
				holders.add(all.get(i));
			}
		}
		return holders;
	}

	/**
	 * Return the sessions of claims that have ended, although their keys stay. Sends a
	 * request only if a claim {@linkplain ClaimValue#session ends} with its session.
	 * @param claims keys of claims with their values
	 * @return ids of the sessions
	 */
	Set<Long> endedSessions(List<KeyValue> claims, long deadline) throws EtcdException {
		Set<Long> sessions = claims.stream()
			.map((claim) -> ClaimValue.session(claim.value()))
			.filter((session) -> session != 0)
			.collect(Collectors.toSet());
		if (!sessions.isEmpty()) {
			Set<String> present = this.store.list(Operation.names(this.keys.sessions()), deadline)
				.stream()
				.map(KeyValue::key)
				.collect(Collectors.toSet());
			sessions.removeIf((session) -> present.contains(this.keys.session(session)));
		}
		return sessions;
	}

	/** Return the time that the clock of this process shows. */
	Instant time() {
		return this.clock.wallClock(this.clock.nanoTime());
	}

	/** Remove a key, or close it for its minimum hold. Return whether it had a holder. */
	private boolean remove(KeyValue holder, long deadline) throws EtcdException {
		boolean byLease = ClaimValue.isHeldByLease(holder.value());
		if (byLease || !ClaimValue.rest(holder.value()).isZero()) {
			return this.ownLeases.close(holder.key(), holder.created(), ClaimValue.closed(holder.value(), time()),
					byLease, ClaimValue.rest(holder.value()), deadline);
		}
		return this.store
			.transact(List.of(Operation.isCreated(holder.key(), holder.created())),
					List.of(Operation.remove(holder.key())), List.of(), deadline)
			.succeeded();
	}

}
