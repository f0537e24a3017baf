package io.leasehold.engine.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.grpc.Status;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.support.Jitter;
import org.jspecify.annotations.Nullable;

/**
 * Queue of claims at their locks. A claim enters by creating its key, advances when keys
 * before it are removed, and leaves by removing its key and by preventing a late one.
 * Thread-safe.
 */
record ClaimQueue(Store store, LiveClaims claims, Sessions sessions, OwnLeases ownLeases, Duration pollInterval,
		MonotonicClock clock) {

	/** Request a claim's lock. Its key is created, or listed. */
	AcquisitionOutcome request(LiveClaim live, boolean waits, long deadline) throws EtcdException {
		AcquisitionOutcome outcome = null;
		while (outcome == null) {
			Session session = this.sessions.require(live.claim(), deadline);
			outcome = (live.number() != 0 && live.session() == session) ? list(live, session, deadline)
					: enter(live, session, waits, deadline);
		}
		return outcome;
	}

	/**
	 * Create the claim's key and list the keys of its lock, in one transaction.
	 * @return {@code null} if the key existed, or the session has ended
	 */
	private @Nullable AcquisitionOutcome enter(LiveClaim live, Session session, boolean waits, long deadline)
			throws EtcdException {
		if (live.begin(session)) {
			throw new EtcdException(Status.Code.CANCELLED, "the claim has ended", null);
		}
		long sent = this.clock.nanoTime();
		Instant time = this.clock.wallClock(sent);
		long written = session.written();
		Reply reply = transact(live, session, conditions(live, session, written, waits), creation(live, session, time),
				deadline);
		if (reply == null) {
			return null;
		}
		if (reply.succeeded()) {
			live.recordShown(time);
			return evaluate(live, session, reply.keys(1), reply.revision(), sent, time, deadline);
		}
		if (!reply.keys(0).isEmpty()) {
			KeyValue own = reply.keys(0).get(0);
			if (ClaimValue.isReplaced(own.value())) {
				return busy();
			}
			live.recordShown(ClaimValue.holder(own).since());
			live.place(own.created());
			return null;
		}
		// Others hold the lock
		return isCurrent(session, written, reply.keys(1)) ? busy() : null;
	}

	/**
	 * Return whether a session's key was written as expected. A claim that ended without
	 * a response may have written it meanwhile.
	 */
	private static boolean isCurrent(Session session, long expected, List<KeyValue> found) {
		if (found.isEmpty()) {
			session.lose();
			return false;
		}
		session.written(found.get(0).written());
		return found.get(0).written() == expected;
	}

	private static List<Message> conditions(LiveClaim live, Session session, long written, boolean waits) {
		List<Message> conditions = new ArrayList<>();
		conditions.add(Operation.isCreated(live.key(), 0));
		conditions.add(Operation.isWritten(session.key(), written));
		if (!waits && live.isExclusive()) {
			conditions.add(Operation.isEmpty(live.prefix()));
		}
		return conditions;
	}

	private static List<Message> creation(LiveClaim live, Session session, Instant time) {
		return List.of(Operation.put(live.key(), ClaimValue.of(live.claim(), time), session.lease()),
				Operation.read(range(live)));
	}

	/** An exclusive claim has to know the claim before it, others all of them. */
	private static Message range(LiveClaim live) {
		return live.isExclusive() ? Operation.latest(live.prefix()) : Operation.names(live.prefix());
	}

	/**
	 * Run a transaction that attaches the claim's key to a session, or reads both keys.
	 * @return {@code null} if the session has ended
	 */
	private @Nullable Reply transact(LiveClaim live, Session session, List<Message> compare, List<Message> success,
			long deadline) throws EtcdException {
		int failures = this.store.members().failures();
		try {
			return this.store.transact(compare, success, List.of(Operation.read(Operation.get(live.key(), false)),
					Operation.read(Operation.get(session.key(), true))), deadline);
		}
		catch (EtcdException ex) {
			if (!ex.is(Status.Code.NOT_FOUND)) {
				throw ex;
			}
			session.lose();
			return null;
		}
		finally {
			if (failures != this.store.members().failures()) {
				live.doubt();
			}
		}
	}

	/**
	 * List the keys up to the claim's own one. A linearizable list shows what is true
	 * after the request was sent.
	 * @return {@code null} if the claim's key was removed
	 */
	private @Nullable AcquisitionOutcome list(LiveClaim live, Session session, long deadline) throws EtcdException {
		long sent = this.clock.nanoTime();
		Instant time = this.clock.wallClock(sent);
		Message response = this.store.range(Operation.upTo(range(live), live.number()), deadline);
		return evaluate(live, session, Reply.keysOf(response), Reply.revision(response), sent, time, deadline);
	}

	private @Nullable AcquisitionOutcome evaluate(LiveClaim live, Session session, List<KeyValue> read, long revision,
			long sent, Instant time, long deadline) throws EtcdException {
		List<KeyValue> keys = new ArrayList<>(read);
		if (live.isExclusive()) {
			Collections.reverse(keys);
		}
		KeyValue own = keys.isEmpty() ? null : keys.get(keys.size() - 1);
		if (own == null || !own.key().equals(live.key())) {
			live.displace();
			return null;
		}
		live.place(own.created());
		ClaimOrder order = new ClaimOrder(keys.stream().map(KeyValue::key).toList());
		if (live.claim().access().contradicts(order.held())) {
			return new AcquisitionOutcome.Contradicted(order.held());
		}
		if (!order.lastHolds()) {
			live.turn().busy(order, live.prefix(), revision);
			return busy();
		}
		live.beginGrant(sent, time);
		live.replaceOwnLease(); // that of an earlier grant may end soon
		if (isKept(own, session, live.claim())
				&& this.ownLeases.secure(live, session, live.claim().lease(), deadline)) {
			return grant(live, session, own, sent);
		}
		withdraw(live, deadline);
		return null;
	}

	/** Return whether the session keeps a key, or the key gets a lease of its own. */
	private static boolean isKept(KeyValue own, Session session, Claim claim) {
		return own.lease() == session.lease() || !claim.minHold().isZero() || !claim.lockDelay().isZero();
	}

	/**
	 * Remove a key before its claim enters again, such as one that an operator closed
	 * before its grant arrived here. No work began, so it needs no minimum hold. A late
	 * removal must not find the next key of the claim, nor one that another owner keeps.
	 */
	private void withdraw(LiveClaim live, long deadline) throws EtcdException {
		this.store.transact(List.of(Operation.isCreated(live.key(), live.number()), Operation.isOwn(live.key())),
				List.of(Operation.remove(live.key())), List.of(), deadline);
		live.displace();
	}

	private AcquisitionOutcome busy() {
		return new AcquisitionOutcome.Busy(Jitter.shorten(this.pollInterval, Jitter.OF_POLLS));
	}

	private static AcquisitionOutcome grant(LiveClaim live, Session session, KeyValue own, long sent)
			throws EtcdException {
		Claim claim = live.claim();
		Long validUntil = live.grant(sent, claim.lease());
		if (validUntil == null) {
			throw new EtcdException(Status.Code.CANCELLED, "the lease expired before the response was processed", null);
		}
		return new AcquisitionOutcome.Granted(own.created(), session.earlier(validUntil));
	}

	/** End a claim. It is kept until the response, for a repeated release. */
	ReleaseOutcome leave(LiveClaim live, long deadline) throws EtcdException {
		live.end(this.clock.nanoTime());
		live.turn().forget();
		ReleaseOutcome outcome = live.mayHaveKey() ? remove(live, deadline) : new ReleaseOutcome.NotOwner();
		this.claims.forget(live);
		return live.hasExpired() ? new ReleaseOutcome.NotOwner() : outcome;
	}

	/** A removal that was sent twice may have found nothing because of the first one. */
	private ReleaseOutcome remove(LiveClaim live, long deadline) throws EtcdException {
		int failures = this.store.members().failures();
		boolean removed = live.wasGranted() ? removeHeld(live, deadline) : removeKey(live, deadline);
		boolean released = removed || failures != this.store.members().failures();
		return (live.wasGranted() && released) ? ReleaseOutcome.RELEASED : new ReleaseOutcome.NotOwner();
	}

	private boolean removeHeld(LiveClaim live, long deadline) throws EtcdException {
		OwnLease own = live.ownLease();
		if (own == null) {
			return removeKey(live, deadline);
		}
		long now = this.clock.nanoTime();
		Duration rest = live.heldFor(now);
		if (rest.toNanos() > 0) {
			String closed = ClaimValue.closed(live.claim(), live.since(),
					live.hasExpired() ? null : this.clock.wallClock(now));
			return this.ownLeases.close(live.key(), live.number(), closed, !own.isKeptAlive(), rest, deadline);
		}
		boolean removed = removeKey(live, deadline);
		this.ownLeases.revoke(own.id(), deadline);
		return removed;
	}

	/**
	 * Remove the key, unless another owner keeps it.
	 * @return whether it existed and was not closed
	 */
	private boolean removeKey(LiveClaim live, long deadline) throws EtcdException {
		Session session = live.session();
		if (session != null && live.mayComeLate()) {
			refuseLate(session, deadline);
		}
		Reply reply = this.store.transact(List.of(Operation.isOwn(live.key())),
				List.of(Operation.read(Operation.get(live.key(), false)), Operation.remove(live.key())), List.of(),
				deadline);
		return reply.succeeded() && !ClaimValue.isClosed(reply.keys(0).get(0).value());
	}

	/**
	 * Write the key of a session, so that requests which were sent before fail. Requests
	 * of a session that has ended fail, too.
	 */
	private void refuseLate(Session session, long deadline) throws EtcdException {
		Reply reply = this.store.transact(List.of(Operation.isCreated(session.key(), session.created())),
				List.of(Operation.attach(session.key(), session.lease())), List.of(), deadline);
		if (reply.succeeded()) {
			session.written(reply.revision());
		}
	}

}
