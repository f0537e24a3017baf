package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.support.StartedThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.KeeperException;

/**
 * Periodic task that ends leases that were not renewed, because the store knows only
 * sessions, and repeats unanswered and failed removals of nodes. It also sends requests
 * that keep the session fresh: the leader's knowledge of a session may be as old as its
 * last request. It repairs a client that missed its connection.
 */
final class Sweeper {

	private static final Log logger = LogFactory.getLog(Sweeper.class);

	private static final Duration TICK = Duration.ofMillis(100);

	private static final int TOUCHES = 8;

	private final Store store;

	private final LiveClaims claims;

	private final NodeQueue queue;

	private final NodePaths paths;

	private final MissedConnection missed;

	private final MonotonicClock clock;

	private final Runnable whenLeft;

	private final ScheduledExecutorService executor;

	private long touched;

	private volatile boolean closing;

	private final AtomicBoolean left = new AtomicBoolean();

	Sweeper(Store store, LiveClaims claims, NodeQueue queue, NodePaths paths, MissedConnection missed,
			MonotonicClock clock, Runnable whenLeft) {
		this.store = store;
		this.claims = claims;
		this.queue = queue;
		this.paths = paths;
		this.missed = missed;
		this.clock = clock;
		this.whenLeft = whenLeft;
		this.touched = clock.nanoTime();
		this.executor = StartedThreads.of("leasehold-zookeeper-", 1);
	}

	void start() {
		this.executor.scheduleWithFixedDelay(this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** A failure that left this method would end all further ticks. */
	private void tick() {
		try {
			long now = this.clock.nanoTime();
			try {
				sweep(now);
			}
			finally {
				if (this.closing) {
					closeUnlessHeld(now);
				}
			}
		}
		catch (Exception | Error ex) {
			logger.debug("Could not end expired leases in ZooKeeper; retrying", ex);
		}
	}

	private void sweep(long now) throws Exception {
		this.missed.check(now);
		if (this.store.isConnected()) {
			touch(now);
			this.claims.all().stream().filter((live) -> live.expire(now)).forEach(this::remove);
			this.queue.removeLate(now);
		}
	}

	/** After its lease, it does not matter what a repeated release reports. */
	private void remove(LiveClaim live) {
		this.queue.leave(live).thenRun(() -> this.claims.forget(live));
	}

	private void touch(long now) throws KeeperException {
		if (now - this.touched >= this.store.connection().timeout().toNanos() / TOUCHES) {
			this.touched = now;
			this.store.stat(this.paths.root());
		}
	}

	/** Continue while a claim holds a key, then stop. */
	void closeWhenNothingIsHeld() {
		this.closing = true;
		closeUnlessHeld(this.clock.nanoTime());
	}

	private void closeUnlessHeld(long now) {
		if (this.claims.all().stream().noneMatch((live) -> live.isHeld() && !live.isLeaseOver(now))
				&& this.left.compareAndSet(false, true)) {
			this.executor.shutdown();
			this.whenLeft.run();
		}
	}

}
