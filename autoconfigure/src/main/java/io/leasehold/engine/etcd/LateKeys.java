package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;

import io.grpc.Status;
import io.leasehold.engine.MonotonicClock;

/**
 * Prevention and removal of keys that are created after their claim has ended, by
 * requests that were delayed. No claim would release such a lock, and its session would
 * be kept alive. Thread-safe.
 */
final class LateKeys {

	/** Longer than requests are delayed, except in rare cases. */
	private static final Duration USUAL_DELAY = Duration.ofMinutes(1);

	private static final Duration SEARCH_SOON = Duration.ofSeconds(2);

	private static final Duration SEARCH_LATER = Duration.ofMinutes(5);

	private final Store store;

	private final Sessions sessions;

	private final EtcdKeys keys;

	private final LiveClaims claims;

	private final MonotonicClock clock;

	private final Queue<Mark> marks = new ConcurrentLinkedQueue<>();

	private volatile long searched;

	LateKeys(Store store, Sessions sessions, EtcdKeys keys, LiveClaims claims, MonotonicClock clock) {
		this.store = store;
		this.sessions = sessions;
		this.keys = keys;
		this.claims = claims;
		this.clock = clock;
		this.searched = clock.nanoTime();
	}

	/**
	 * Remove the key of an ended claim, and mark the claim, so that its late requests
	 * fail. The mark is on the session: requests of a session that has ended fail, too.
	 * @return whether the key existed, and was not closed
	 */
	boolean remove(LiveClaim live, long deadline) throws EtcdException, TimeoutException {
		String mark = this.keys.givenUp(live.id());
		while (true) {
			Session session = this.sessions.require(live.claim(), deadline);
			this.marks.add(new Mark(mark, this.clock.nanoTime()));
			try {
				List<Message> removal = List.of(Operation.put(mark, "", session.lease()), Operation.remove(live.key()));
				return this.store.transact(List.of(Operation.isOpen(live.key())), removal, removal, deadline)
					.succeeded();
			}
			catch (EtcdException ex) {
				if (!ex.is(Status.Code.NOT_FOUND)) {
					throw ex;
				}
				session.lose();
			}
		}
	}

	/** Remove keys without a claim and old marks if this is due. Called periodically. */
	void sweep(long deadline) throws EtcdException, TimeoutException {
		long now = this.clock.nanoTime();
		Duration pause = this.marks.isEmpty() ? SEARCH_LATER : SEARCH_SOON;
		if (now - this.searched >= pause.toNanos()) {
			this.searched = now;
			for (Session session : this.sessions.present()) {
				removeKeysWithoutClaim(session, deadline);
			}
			removeMarks(now, deadline);
		}
	}

	/**
	 * A claim is known before its first request, and until its key was removed. The list
	 * may be outdated: a key that has left the session since then stays for its minimum
	 * hold.
	 */
	private void removeKeysWithoutClaim(Session session, long deadline) throws EtcdException, TimeoutException {
		List<String> found = this.store.keysOn(session.lease(), deadline);
		Set<String> known = this.claims.keys();
		for (String key : found) {
			if (key.startsWith(this.keys.claims()) && !known.contains(key)) {
				this.store.transact(List.of(Operation.isOn(key, session.lease())), List.of(Operation.remove(key)),
						List.of(), deadline);
			}
		}
	}

	private void removeMarks(long now, long deadline) throws EtcdException, TimeoutException {
		for (Mark mark : new ArrayList<>(this.marks)) {
			if (now - mark.since >= USUAL_DELAY.toNanos()) {
				this.store.transact(List.of(), List.of(Operation.remove(mark.key)), List.of(), deadline);
				this.marks.remove(mark);
			}
		}
	}

	/**
	 * Mark of a claim in the store.
	 */
	private record Mark(String key, long since) {
	}

}
