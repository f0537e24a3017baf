package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;

import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;

/**
 * End of claims: the removal of their keys, and the prevention of late ones, which no
 * claim would release. Thread-safe.
 */
record Ending(Store store, LiveClaims claims, OwnLeases ownLeases, MonotonicClock clock) {

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
