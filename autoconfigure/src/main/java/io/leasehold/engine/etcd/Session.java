package io.leasehold.engine.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.leasehold.engine.MonotonicClock;

/**
 * Lease of this process in etcd, which locks of the process are attached to. The
 * session's own key exists for as long as its lease. Thread-safe.
 */
final class Session {

	private final long lease;

	private final Duration timeout;

	private final String key;

	private final long created;

	private final Instant began;

	private final long sent;

	private volatile long seen;

	private volatile long used;

	private final AtomicBoolean lost = new AtomicBoolean();

	private final Consumer<Session> whenLost;

	/** When the last proven request was sent. */
	private long proven;

	/**
	 * Create a session.
	 * @param lease id of the lease
	 * @param timeout how long the store keeps the lease without a keep-alive
	 * @param key the session's own key
	 * @param created revision that created the key
	 * @param began when the lease was created, by the clock of this process
	 * @param sent when the request for the lease was sent
	 * @param whenLost called once, in any thread, when the session is known to be lost
	 */
	Session(long lease, Duration timeout, String key, long created, Instant began, long sent,
			Consumer<Session> whenLost) {
		this.lease = lease;
		this.timeout = timeout;
		this.key = key;
		this.created = created;
		this.seen = created;
		this.began = began;
		this.sent = sent;
		this.proven = sent;
		this.used = sent;
		this.whenLost = whenLost;
	}

	long lease() {
		return this.lease;
	}

	String key() {
		return this.key;
	}

	/** Return the revision that created the session's key. */
	long created() {
		return this.created;
	}

	/** Record a revision at which the session's key existed. */
	void see(long revision) {
		this.seen = revision;
	}

	/**
	 * Return a revision at which the session's key existed, recent enough for a watch.
	 * The store forgets old ones.
	 */
	long seen() {
		return this.seen;
	}

	/** Return the time that the clock of this process showed first, for display. */
	Instant timeAt(long now) {
		return this.began.plusNanos(now - this.sent);
	}

	/** Return whether the store has removed the session and all of its keys. */
	boolean isLost() {
		return this.lost.get();
	}

	void lose() {
		if (this.lost.compareAndSet(false, true)) {
			this.whenLost.accept(this);
		}
	}

	/** Record that a claim needs the session. */
	void use(long now) {
		this.used = now;
	}

	/** Return whether no claim has needed the session for as long as it lasts. */
	boolean isIdle(long now) {
		return now - this.used >= this.timeout.toNanos();
	}

	/** Record a proof that the session was alive after a moment. */
	synchronized void prove(long sent) {
		this.proven = (sent - this.proven > 0) ? sent : this.proven;
	}

	/** Return the earlier of a moment and the end of the session's validity. */
	long earlier(long moment) {
		long end = validUntil();
		return (end - moment < 0) ? end : moment;
	}

	private synchronized long validUntil() {
		return MonotonicClock.validUntil(this.proven, this.timeout);
	}

	/** Return whether the session should be kept alive now: after a quarter of it. */
	synchronized boolean isDue(long now) {
		return now - this.proven >= this.timeout.toNanos() / 4;
	}

	/** Return whether so little of the session is left that a grant would be short. */
	synchronized boolean isStale(long now) {
		return now - this.proven >= this.timeout.toNanos() / 2;
	}

}
