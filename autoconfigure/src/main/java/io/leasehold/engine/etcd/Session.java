package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.leasehold.engine.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * Lease of this process in etcd, which locks of the process are attached to. The
 * session's own key exists for as long as its lease. Thread-safe.
 */
final class Session {

	/** Pause between two watches, so that a server which ends them is not flooded. */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final long lease;

	private final Duration timeout;

	private final String key;

	private final long created;

	/** Revision that wrote the session's key last, as far as this is known. */
	private volatile long written;

	private volatile long used;

	private final AtomicBoolean lost = new AtomicBoolean();

	private final Consumer<Session> whenLost;

	private @Nullable Watch watch;

	/** When the watch was opened. */
	private long watched;

	/** When the last proven request was sent. */
	private long proven;

	/**
	 * Create a session.
	 * @param lease id of the lease
	 * @param timeout how long the store keeps the lease without a keep-alive
	 * @param key the session's own key
	 * @param created revision that created the key
	 * @param sent when the request for the lease was sent
	 * @param whenLost called once, in any thread, when the session is known to be lost
	 */
	Session(long lease, Duration timeout, String key, long created, long sent, Consumer<Session> whenLost) {
		this.lease = lease;
		this.timeout = timeout;
		this.key = key;
		this.created = created;
		this.written = created;
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

	/**
	 * Return the revision that wrote the session's key last. Requests for claims are
	 * executed only if it is still the last one.
	 */
	long written() {
		return this.written;
	}

	/** Record that a revision wrote the session's key. Requests sent before fail. */
	void written(long revision) {
		this.written = revision;
	}

	/**
	 * Return whether the end of the session should be watched, for the first time or
	 * because the watch has ended.
	 */
	synchronized boolean lacksWatch(long now) {
		return this.watch == null || (this.watch.hasEnded() && now - this.watched >= PAUSE.toNanos());
	}

	/**
	 * Return a watch on the end of the session that is not open yet.
	 * @param seen a revision at which the session existed, a late one because the store
	 * forgets old ones
	 */
	synchronized Watch watch(long now, long seen) {
		this.watched = now;
		this.watch = Watch.on(this.key, seen, (by, end) -> {
			if (end == Watch.End.REMOVED) {
				lose();
			}
		});
		return this.watch;
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
