package io.leasehold.engine.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.grpc.Status;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.support.Deadlines;

/**
 * Sessions of this process: one for each member that makes claims. A process that was
 * restored from a snapshot is another member, so copies never share a session.
 * Thread-safe.
 */
final class Sessions {

	private final Store store;

	private final EtcdKeys keys;

	private final KeepAlive keepAlive;

	private final long seconds;

	private final Consumer<Session> whenLost;

	private final MonotonicClock clock;

	private final Map<String, CompletableFuture<Session>> byMember = new ConcurrentHashMap<>();

	Sessions(Store store, EtcdKeys keys, KeepAlive keepAlive, Duration timeout, Consumer<Session> whenLost,
			MonotonicClock clock) {
		this.store = store;
		this.keys = keys;
		this.keepAlive = keepAlive;
		this.seconds = wholeSeconds(timeout);
		this.whenLost = whenLost;
		this.clock = clock;
	}

	/** Return the seconds of a lease that is not shorter than a time. */
	static long wholeSeconds(Duration time) {
		return Math.max(1, time.plusSeconds(1).minusNanos(1).toSeconds());
	}

	/** Return the member's session, which is alive and not about to end. */
	Session require(String member, long deadline) throws EtcdException, TimeoutException {
		Session session = find(member, deadline);
		if (session.isStale(this.clock.nanoTime())) {
			this.keepAlive.send(session, List.of(), deadline);
		}
		return session.isLost() ? find(member, deadline) : session;
	}

	private Session find(String member, long deadline) throws EtcdException, TimeoutException {
		while (true) {
			CompletableFuture<Session> begun = new CompletableFuture<>();
			CompletableFuture<Session> known = this.byMember.putIfAbsent(member, begun);
			if (known == null) {
				return begin(member, begun, deadline);
			}
			Session session = await(known, deadline);
			if (!session.isLost()) {
				return session;
			}
			this.byMember.remove(member, known);
		}
	}

	private static Session await(CompletableFuture<Session> known, long deadline)
			throws EtcdException, TimeoutException {
		try {
			return Deadlines.await(known, deadline);
		}
		catch (ExecutionException ex) {
			throw new EtcdException(Status.Code.UNAVAILABLE, String.valueOf(ex.getCause()), ex.getCause());
		}
	}

	private Session begin(String member, CompletableFuture<Session> begun, long deadline)
			throws EtcdException, TimeoutException {
		try {
			Session session = create(member, deadline);
			begun.complete(session);
			return session;
		}
		finally {
			if (!begun.isDone()) {
				this.byMember.remove(member, begun);
				begun.completeExceptionally(new TimeoutException("etcd did not create a lease for this process"));
			}
		}
	}

	private Session create(String member, long deadline) throws EtcdException, TimeoutException {
		long sent = this.clock.nanoTime();
		Message lease = this.store.grant(this.seconds, deadline);
		String key = this.keys.session(lease.number(2));
		Reply reply = this.store.transact(List.of(),
				List.of(Operation.put(key, member, lease.number(2)), Operation.read(Operation.get(key, true))),
				List.of(), deadline);
		return new Session(lease.number(2), Duration.ofSeconds(lease.number(3)), key, reply.keys(1).get(0).created(),
				Instant.EPOCH.plusNanos(sent + this.clock.wallClockOffset(sent)), sent, this.whenLost);
	}

	/** Return the sessions that were not lost. */
	Collection<Session> present() {
		return this.byMember.values()
			.stream()
			.filter((begun) -> begun.isDone() && !begun.isCompletedExceptionally())
			.map(CompletableFuture::join)
			.filter((session) -> !session.isLost())
			.toList();
	}

	/** Forget a session, whose lease ends in the store by itself. */
	void forget(Session session) {
		this.byMember.values()
			.removeIf((begun) -> begun.isDone() && !begun.isCompletedExceptionally() && begun.join() == session);
	}

}
