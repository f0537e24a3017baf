package io.leasehold.engine.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.engine.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * Watches on the keys of this process's sessions: one message reports the loss of all
 * locks of a session. A watch that fails is opened again. Thread-safe.
 */
final class SessionWatches {

	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final Store store;

	private final MonotonicClock clock;

	private final Map<Session, Opened> open = new ConcurrentHashMap<>();

	SessionWatches(Store store, MonotonicClock clock) {
		this.store = store;
		this.clock = clock;
	}

	/** Close the watches of other sessions. */
	void retain(Collection<Session> present) {
		this.open.keySet().stream().filter((session) -> !present.contains(session)).toList().forEach(this::close);
	}

	/**
	 * Return whether the watch of a session has ended, and should be opened again. Its
	 * member may have lost its leader, or the login may have expired, so another request
	 * has to succeed first.
	 */
	boolean isBroken(Session session) {
		Opened opened = this.open.get(session);
		return opened != null && opened.ended && this.clock.nanoTime() - opened.since >= PAUSE.toNanos();
	}

	/** Open a missing or broken watch, or one at a member that is not used any more. */
	void watch(Session session) {
		URI member = this.store.members().present();
		Opened opened = this.open.get(session);
		if (opened == null || isBroken(session) || !opened.member.equals(member)) {
			close(session);
			Opened next = new Opened(member, this.clock.nanoTime());
			this.open.put(session, next);
			next.stream = this.store.watch(member, session.key(), null, session.seen(),
					(message) -> received(session, next, message));
		}
	}

	private void received(Session session, Opened opened, @Nullable Message message) {
		if (message != null && message.has(Store.EVENTS)) {
			session.lose();
		}
		if (message == null || message.flag(Store.CANCELLED)) {
			opened.ended = true;
		}
	}

	private void close(Session session) {
		Opened opened = this.open.remove(session);
		if (opened != null && opened.stream != null) {
			opened.stream.close();
		}
	}

	void closeAll() {
		this.open.keySet().forEach(this::close);
	}

	/**
	 * Watch that was opened.
	 */
	private static final class Opened {

		private final URI member;

		private final long since;

		private volatile boolean ended;

		private volatile @Nullable WatchStream stream;

		private Opened(URI member, long since) {
			this.member = member;
			this.since = since;
		}

	}

}
