package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;

/**
 * Sessions of this process: one for each member that makes claims and each length that
 * their leases need. A process that was restored from a snapshot is another member, so
 * copies never share a session. Thread-safe.
 */
final class Sessions {

	private final Store store;

	private final EtcdKeys keys;

	private final KeepAlive keepAlive;

	private final EtcdSettings settings;

	private final Consumer<Session> whenLost;

	private final MonotonicClock clock;

	private final Map<Purpose, CompletableFuture<Session>> byPurpose = new ConcurrentHashMap<>();

	Sessions(Store store, EtcdKeys keys, KeepAlive keepAlive, EtcdSettings settings, Consumer<Session> whenLost,
			MonotonicClock clock) {
		this.store = store;
		this.keys = keys;
		this.keepAlive = keepAlive;
		this.settings = settings;
		this.whenLost = whenLost;
		this.clock = clock;
	}

	/** Return the seconds of a lease that is not shorter than a time. */
	static long wholeSeconds(Duration time) {
		return Math.max(1, time.plusSeconds(1).minusNanos(1).toSeconds());
	}

	/** Return the session for a claim, which is alive and not about to end. */
	Session require(Claim claim, long deadline) throws EtcdException {
		Purpose purpose = new Purpose(claim.owner().memberId(), wholeSeconds(this.settings.sessionFor(claim.lease())));
		Session session = find(purpose, deadline);
		long now = this.clock.nanoTime();
		session.use(now);
		if (session.isStale(now)) {
			this.keepAlive.send(session, List.of(), deadline);
		}
		return session.isLost() ? find(purpose, deadline) : session;
	}

	private Session find(Purpose purpose, long deadline) throws EtcdException {
		while (true) {
			CompletableFuture<Session> begun = new CompletableFuture<>();
			CompletableFuture<Session> known = this.byPurpose.putIfAbsent(purpose, begun);
			if (known == null) {
				return begin(purpose, begun, deadline);
			}
			Session session = EtcdException.await(known, deadline, "the session was not created in time");
			if (!session.isLost()) {
				return session;
			}
			this.store.revoke(session.lease(), deadline); // no key of a claim stays on it
			this.byPurpose.remove(purpose, known);
		}
	}

	private Session begin(Purpose purpose, CompletableFuture<Session> begun, long deadline) throws EtcdException {
		try {
			Session session = create(purpose, deadline);
			begun.complete(session);
			return session;
		}
		catch (EtcdException | RuntimeException | Error ex) {
			this.byPurpose.remove(purpose, begun);
			begun.completeExceptionally(ex);
			throw ex;
		}
	}

	private Session create(Purpose purpose, long deadline) throws EtcdException {
		long sent = this.clock.nanoTime();
		Message lease = this.store.grant(purpose.seconds, deadline);
		String key = this.keys.session(lease.number(2));
		Reply reply = this.store.transact(List.of(),
				List.of(Operation.put(key, purpose.member, lease.number(2)), Operation.read(Operation.get(key, true))),
				List.of(), deadline);
		return new Session(lease.number(2), Duration.ofSeconds(lease.number(3)), key, reply.keys(1).get(0).created(),
				sent, this.whenLost);
	}

	/** Return the sessions that were not lost. */
	Collection<Session> present() {
		return this.byPurpose.values()
			.stream()
			.filter((begun) -> begun.isDone() && !begun.isCompletedExceptionally())
			.map(CompletableFuture::join)
			.filter((session) -> !session.isLost())
			.toList();
	}

	/** Forget a session, whose lease ends in the store by itself. */
	void forget(Session session) {
		this.byPurpose.values()
			.removeIf((begun) -> begun.isDone() && !begun.isCompletedExceptionally() && begun.join() == session);
	}

	/**
	 * Whom a session is for.
	 *
	 * @param member the member whose claims use it
	 * @param seconds how long it lasts without a keep-alive
	 */
	private record Purpose(String member, long seconds) {
	}

}
