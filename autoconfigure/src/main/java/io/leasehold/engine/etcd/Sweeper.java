package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.engine.support.StartedThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Periodic task that keeps sessions alive and ends leases that were not renewed, because
 * the store knows only the sessions of live processes. It also writes the times of grants
 * after a wait.
 */
final class Sweeper {

	private static final Log logger = LogFactory.getLog(Sweeper.class);

	private static final Duration TICK = Duration.ofMillis(100);

	/** Ticks without a sweep after a failure, to spare a store that is down. */
	private static final int PAUSE = 5;

	/** Pause between two searches for keys without a claim. */
	private static final Duration SEARCH = Duration.ofMinutes(5);

	private final Store store;

	private final LiveClaims claims;

	private final Sessions sessions;

	private final Watches watches;

	private final KeepAlive keepAlive;

	private final ClaimQueue queue;

	private final OwnLeases ownLeases;

	private final Duration callTimeout;

	private final MonotonicClock clock;

	private final ScheduledExecutorService executor;

	private long searched;

	/** Ticks that are still omitted. */
	private int pause;

	private boolean closing;

	private final AtomicBoolean closed = new AtomicBoolean();

	Sweeper(Store store, LiveClaims claims, Sessions sessions, Watches watches, KeepAlive keepAlive, ClaimQueue queue,
			OwnLeases ownLeases, Duration callTimeout, MonotonicClock clock) {
		this.store = store;
		this.claims = claims;
		this.sessions = sessions;
		this.watches = watches;
		this.keepAlive = keepAlive;
		this.queue = queue;
		this.ownLeases = ownLeases;
		this.callTimeout = callTimeout;
		this.clock = clock;
		this.searched = clock.nanoTime();
		this.executor = StartedThreads.of("leasehold-etcd-", 1);
	}

	void start() {
		this.executor.scheduleWithFixedDelay(this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
	}

	private void tick() {
		if (this.pause > 0) {
			this.pause--;
			return;
		}
		try {
			sweep();
		}
		catch (Exception | Error ex) {
			// One that is thrown ends a periodic task
			logger.debug("Could not keep the session in etcd, or end expired leases; retrying", ex);
			this.pause = PAUSE;
		}
	}

	private void sweep() throws EtcdException {
		try {
			keepSessions();
			removeExpired();
			removeStrays();
			this.ownLeases.revokePending(deadline());
			writeGrantTimes();
		}
		finally {
			if (this.closing) {
				closeUnlessHeld();
			}
		}
	}

	/**
	 * A session that is not the only one is kept for as long as claims use it, and for a
	 * while after the last one.
	 */
	private void keepSessions() throws EtcdException {
		this.watches.follow(this.store.members().present());
		for (Session session : this.sessions.present()) {
			if (session.isIdle(this.clock.nanoTime()) && !this.claims.use(session)
					&& this.sessions.present().size() > 1) {
				this.sessions.forget(session);
			}
			else {
				keep(session);
			}
		}
	}

	private void keep(Session session) throws EtcdException {
		long now = this.clock.nanoTime();
		boolean lacksWatch = session.lacksWatch(now);
		if (lacksWatch || session.isDue(now)) {
			KeepAlive.Pulse pulse = this.keepAlive.send(session, List.of(), deadline());
			if (lacksWatch && !session.isLost()) {
				this.watches.open(session.watch(now, pulse.revision()));
			}
		}
	}

	/**
	 * A store without space rejects the removal of a claim that lacks a response or has a
	 * minimum hold, but not those of others.
	 */
	private void removeExpired() throws EtcdException {
		long now = this.clock.nanoTime();
		EtcdException rejection = null;
		for (LiveClaim live : this.claims.all()) {
			if (live.expire(now)) {
				try {
					this.queue.leave(live, deadline());
				}
				catch (EtcdException ex) {
					if (!ex.isRejection()) {
						throw ex;
					}
					rejection = ex;
				}
			}
		}
		if (rejection != null) {
			throw rejection;
		}
	}

	/** Write times for one tick at most, because the end of leases waits meanwhile. */
	private void writeGrantTimes() throws EtcdException {
		long begin = this.clock.nanoTime();
		for (LiveClaim live : this.claims.all()) {
			if (live.lacksTime() && this.clock.nanoTime() - begin < TICK.toNanos()) {
				writeGrantTime(live);
			}
		}
	}

	/**
	 * A claim may be released meanwhile; then its key is gone, or closed. A store without
	 * space rejects the write, but not the removal of keys, which must go on.
	 */
	private void writeGrantTime(LiveClaim live) throws EtcdException {
		try {
			this.store.transact(List.of(Operation.isCreated(live.key(), live.number()), Operation.isOpen(live.key())),
					List.of(Operation.write(live.key(), ClaimValue.of(live.claim(), live.since()))), List.of(),
					deadline());
		}
		catch (EtcdException ex) {
			if (!ex.isRejection()) {
				throw ex;
			}
			logger.debug("etcd rejected the time of a grant", ex);
		}
		live.recordShown(live.since());
	}

	/**
	 * Remove keys on the sessions that no claim knows, such as after the store was
	 * restored from a backup. They would be kept alive.
	 */
	private void removeStrays() throws EtcdException {
		long now = this.clock.nanoTime();
		if (now - this.searched >= SEARCH.toNanos()) {
			this.searched = now;
			for (Session session : this.sessions.present()) {
				removeStrays(session.lease());
			}
		}
	}

	/**
	 * A claim is known before its first request, and until its key was removed. The list
	 * may be outdated: a key that has left the session since then stays for its minimum
	 * hold.
	 */
	private void removeStrays(long lease) throws EtcdException {
		for (String key : this.claims.strays(this.store.keysOn(lease, deadline()))) {
			this.store.transact(List.of(Operation.isOn(key, lease)), List.of(Operation.remove(key)), List.of(),
					deadline());
		}
	}

	private long deadline() {
		return Deadlines.after(this.callTimeout);
	}

	/**
	 * Leave the queues. Continue while a claim holds a lock, then end the sessions. Waits
	 * for the first step, but not longer than a call.
	 */
	void closeWhenNothingIsHeld() {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		Future<?> first = this.executor.submit(() -> {
			this.closing = true;
			closeUnlessHeld();
		});
		try {
			EtcdException.await(first, deadline(), "the queues were not left within the call timeout");
		}
		catch (EtcdException ex) {
			logger.debug("Could not leave etcd in time; its keys end with their leases", ex);
		}
	}

	private void closeUnlessHeld() {
		if (this.executor.isShutdown()) {
			return;
		}
		long now = this.clock.nanoTime();
		boolean held = this.claims.all().stream().anyMatch((live) -> live.isHeld() && !live.isDue(now));
		try {
			if (held) {
				leaveQueues();
				return;
			}
			for (Session session : this.sessions.present()) {
				this.store.revoke(session.lease(), deadline());
			}
		}
		catch (EtcdException ex) {
			logger.debug("Could not leave etcd; its keys end with their leases", ex);
		}
		if (!held) {
			this.store.close();
			this.executor.shutdown();
		}
	}

	private void leaveQueues() throws EtcdException {
		for (LiveClaim live : this.claims.all()) {
			if (!live.isHeld()) {
				this.queue.leave(live, deadline());
			}
		}
	}

}
