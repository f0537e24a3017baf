package io.leasehold.engine.etcd;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.leasehold.engine.MonotonicClock;

/**
 * Keep-alive of a session, followed by a linearizable read. The keep-alive alone proves
 * nothing: a leader without followers responds to it. If both responses have one term,
 * the leader that extended the lease was still in office afterwards. They may come from
 * different members, as behind a load balancer. Thread-safe.
 */
record KeepAlive(Store store, MonotonicClock clock) {

	/** Servers and proxies limit the streams of a connection. */
	private static final int CONCURRENT = 16;

	/**
	 * Keep a session and the given leases alive, and read claims' keys.
	 * @param claims at most 127
	 */
	Pulse send(Session session, List<LiveClaim> claims, long deadline) throws EtcdException {
		return this.store.members().run((member) -> send(member, session, claims, deadline), deadline);
	}

	private Pulse send(URI member, Session session, List<LiveClaim> claims, long deadline) throws EtcdException {
		long sent = this.clock.nanoTime();
		List<Message> kept = keepAlive(member, leases(session, claims), deadline);
		Reply reply = this.store.transactAt(member, reads(session, claims), deadline);
		boolean proven = kept.get(0).number(3) > 0 && kept.stream().allMatch(reply::isUnderTheLeaderOf);
		boolean alive = isThere(reply.keys(0), session.created());
		if (!alive) {
			session.lose();
		}
		else if (proven) {
			session.prove(sent);
		}
		return new Pulse(sent, alive && proven, reply.revision(), held(claims, reply));
	}

	private static List<Long> leases(Session session, List<LiveClaim> claims) {
		List<Long> leases = new ArrayList<>(claims.size() + 1);
		leases.add(session.lease());
		for (LiveClaim live : claims) {
			OwnLease own = live.ownLease();
			if (own != null && own.isKeptAlive()) {
				leases.add(own.id());
			}
		}
		return leases;
	}

	private List<Message> keepAlive(URI member, List<Long> leases, long deadline) throws EtcdException {
		List<Message> kept = new ArrayList<>(leases.size());
		for (int i = 0; i < leases.size(); i += CONCURRENT) {
			kept.addAll(
					this.store.keepAlive(member, leases.subList(i, Math.min(i + CONCURRENT, leases.size())), deadline));
		}
		return kept;
	}

	private static List<Message> reads(Session session, List<LiveClaim> claims) {
		List<Message> reads = new ArrayList<>(claims.size() + 1);
		reads.add(Operation.read(Operation.get(session.key(), true)));
		claims.forEach((live) -> reads.add(Operation.read(Operation.get(live.key(), live.ownLease() == null))));
		return reads;
	}

	private static Set<LiveClaim> held(List<LiveClaim> claims, Reply reply) {
		return IntStream.range(0, claims.size())
			.filter((i) -> isHeld(claims.get(i), reply.keys(i + 1)))
			.mapToObj(claims::get)
			.collect(Collectors.toSet());
	}

	/** Return whether a claim's key was found, and was not closed by an operator. */
	static boolean isHeld(LiveClaim live, List<KeyValue> found) {
		return isThere(found, live.number()) && !ClaimValue.isClosed(found.get(0).value());
	}

	private static boolean isThere(List<KeyValue> keys, long created) {
		return !keys.isEmpty() && keys.get(0).created() == created;
	}

	/**
	 * Result of a keep-alive.
	 *
	 * @param sent when it was sent
	 * @param proven whether the session was certainly alive after that
	 * @param revision revision of the read
	 * @param held the claims that still hold their locks
	 */
	record Pulse(long sent, boolean proven, long revision, Set<LiveClaim> held) {
	}

}
