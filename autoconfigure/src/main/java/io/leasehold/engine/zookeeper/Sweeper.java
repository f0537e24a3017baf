package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.leasehold.engine.MonotonicClock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.KeeperException;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Ends the leases that nobody renewed, since the store knows only sessions, and goes on
 * removing nodes whose release was never answered. Keeps the session fresh meanwhile:
 * what the leader knows of it may be as old as its last request.
 */
final class Sweeper {

	private static final Log logger = LogFactory.getLog(Sweeper.class);

	private static final Duration TICK = Duration.ofMillis(100);

	private static final int TOUCHES = 8;

	private final Store store;

	private final Map<String, LiveClaim> claims;

	private final MonotonicClock clock;

	private final String path;

	private final ScheduledExecutorService executor;

	private long touched;

	Sweeper(Store store, Map<String, LiveClaim> claims, MonotonicClock clock, String path) {
		this.store = store;
		this.claims = claims;
		this.clock = clock;
		this.path = path;
		this.touched = clock.nanoTime();
		CustomizableThreadFactory threads = new CustomizableThreadFactory("leasehold-zookeeper-");
		threads.setDaemon(true);
		this.executor = Executors.newSingleThreadScheduledExecutor(threads);
		this.executor.scheduleWithFixedDelay(this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
	}

	private void tick() {
		try {
			if (this.store.isConnected()) {
				long now = this.clock.nanoTime();
				touch(now);
				this.claims.values().forEach((live) -> sweep(live, now));
			}
		}
		catch (KeeperException | RuntimeException ex) {
			logger.debug("ZooKeeper could not be asked to end leases, to be tried again", ex);
		}
	}

	private void touch(long now) throws KeeperException {
		if (now - this.touched >= this.store.session().timeout().toNanos() / TOUCHES) {
			this.touched = now;
			this.store.stat(this.path);
		}
	}

	private void sweep(LiveClaim live, long now) {
		if (!live.isLeaseOver(now)) {
			return;
		}
		live.end(now);
		LockNode node = live.node();
		if (node != null) {
			live.tellEnd();
			this.store.remove(node.path()).thenRun(() -> forget(live));
		}
		else if (!live.mayYetBeCreated()) {
			forget(live); // Curator removes what a lost reply hid
		}
	}

	private void forget(LiveClaim live) {
		this.claims.remove(live.claim().owner().token(), live);
	}

	void close() {
		this.executor.shutdownNow();
	}

}
