package io.leasehold.engine.etcd;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;

import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Leases of claims with a minimum hold or a lock delay. A claim waits on its session's
 * lease. Its grant attaches the key to a lease that ends with the minimum hold, or after
 * lease and lock delay if that is later. Thread-safe.
 */
final class OwnLeases {

	private static final Log logger = LogFactory.getLog(OwnLeases.class);

	/** After this time, no request is executed any more. */
	private static final Duration LATEST = Duration.ofMinutes(5);

	/** The store forgets others by itself. */
	private static final int MOST_PENDING = 1000;

	/** Copies of a process that was restored from a snapshot must not share ids. */
	private static final SecureRandom RANDOM = new SecureRandom();

	private final Store store;

	private final MonotonicClock clock;

	/** Leases that may exist without a key, because a response is missing. */
	private final Queue<Pending> pending = new ArrayBlockingQueue<>(MOST_PENDING);

	OwnLeases(Store store, MonotonicClock clock) {
		this.store = store;
		this.clock = clock;
	}

	/**
	 * Create a lease that is not shorter than a time. Its keys are written next, and then
	 * it is {@linkplain #use used} or {@linkplain #revoke revoked}. If a response is
	 * missing, it is revoked later unless it has a key.
	 */
	Message create(Duration time, long deadline) throws EtcdException {
		long id = RANDOM.nextLong() >>> 1;
		this.pending.offer(new Pending(id, this.clock.nanoTime()));
		return this.store.grant(id, Sessions.wholeSeconds(time), deadline);
	}

	/** Record that a lease has a key, or has ended. */
	void use(long lease) {
		this.pending.removeIf((each) -> each.lease == lease);
	}

	/** Revoke a lease without keys, later if the store does not respond. */
	void revoke(long lease, long deadline) {
		try {
			this.store.revoke(lease, deadline);
			use(lease);
		}
		catch (EtcdException ex) {
			logger.debug("Could not revoke a lease without keys; retrying later", ex);
			this.pending.offer(new Pending(lease, this.clock.nanoTime()));
		}
	}

	/** Revoke one of the leases without a response, unless it has a key. */
	void revokePending(long deadline) throws EtcdException {
		Pending first = this.pending.peek();
		if (first != null && this.clock.nanoTime() - first.since >= LATEST.toNanos()) {
			if (this.store.remaining(first.lease, deadline) != null
					&& this.store.keysOn(first.lease, deadline).isEmpty()) {
				this.store.revoke(first.lease, deadline);
			}
			use(first.lease);
		}
	}

	/**
	 * Ensure that the key outlives the session as long as the claim demands.
	 * @param session the session of the claim
	 * @param lease the lease that is granted now
	 * @return whether the key still exists, as far as this is known
	 */
	boolean secure(LiveClaim live, Session session, Duration lease, long deadline) throws EtcdException {
		Claim claim = live.claim();
		if (claim.minHold().isZero() && claim.lockDelay().isZero()) {
			return true;
		}
		Duration length = lease.plus(claim.lockDelay());
		long now = this.clock.nanoTime();
		Instant time = live.since();
		OwnLease own = live.ownLease();
		if (own == null) {
			boolean byLease = claim.minHold().compareTo(length) >= 0;
			long present = session.lease();
			return byLease
					? attach(live, present, claim.minHold(), false, ClaimValue.heldByLease(claim, time, session),
							deadline)
					: attach(live, present, length, true, ClaimValue.held(claim, time, claim.minHold()), deadline);
		}
		boolean lasts = own.isKeptAlive() ? own.length().compareTo(length) >= 0 : own.end() - now >= length.toNanos();
		if (lasts) {
			return true;
		}
		live.replaceOwnLease(); // without a response, the key may be on either lease
		return attach(live, own.id(), length, true, ClaimValue.held(claim, time, live.heldFor(now)), deadline);
	}

	/**
	 * Attach the key to a new lease. A late request must not do this after a later one,
	 * so the lease that the key leaves is a condition.
	 * @param expected the lease of the key, as far as this is known
	 */
	private boolean attach(LiveClaim live, long expected, Duration length, boolean keptAlive, String value,
			long deadline) throws EtcdException {
		long sent = this.clock.nanoTime();
		Message lease = create(length, deadline);
		long id = lease.number(2);
		for (long present = expected;;) {
			Reply reply = this.store.transact(
					List.of(Operation.isCreated(live.key(), live.number()), Operation.isOpen(live.key()),
							Operation.isOn(live.key(), present)),
					List.of(Operation.put(live.key(), value, id)),
					List.of(Operation.read(Operation.get(live.key(), false))), deadline);
			if (reply.succeeded()) {
				use(id);
				Duration granted = Duration.ofSeconds(lease.number(3));
				live.ownLease(new OwnLease(id, granted, MonotonicClock.validUntil(sent, granted), keptAlive));
				return true;
			}
			List<KeyValue> found = reply.keys(0);
			if (!KeepAlive.isHeld(live, found)) {
				// A transaction that was sent twice may have moved a key that was closed
				// since
				if (found.stream().noneMatch((key) -> key.lease() == id)) {
					revoke(id, deadline);
				}
				return false;
			}
			present = found.get(0).lease();
		}
	}

	/**
	 * Leave a key without a holder to the end of its minimum hold.
	 * @param created revision that created the key
	 * @param value value of the closed key
	 * @param byLease whether its present lease ends with the minimum hold
	 * @param rest rest of the minimum hold otherwise
	 * @return whether the key existed, with a holder
	 */
	boolean close(String key, long created, String value, boolean byLease, Duration rest, long deadline)
			throws EtcdException {
		long lease = byLease ? 0 : create(rest, deadline).number(2);
		Message closing = byLease ? Operation.write(key, value) : Operation.put(key, value, lease);
		boolean closed = this.store
			.transact(List.of(Operation.isCreated(key, created), Operation.isOpen(key)), List.of(closing), List.of(),
					deadline)
			.succeeded();
		if (closed) {
			use(lease);
		}
		// Otherwise a transaction that was sent twice may have used the lease
		return closed;
	}

	/**
	 * Lease whose creation, use or end has had no response yet.
	 */
	private record Pending(long lease, long since) {
	}

}
