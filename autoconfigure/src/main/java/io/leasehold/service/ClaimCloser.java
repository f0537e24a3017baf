package io.leasehold.service;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.support.Jitter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Background release of claims for callers that cannot wait. It is repeated until the
 * store returns a definite response, or the lease ended so long ago that nothing of the
 * claim can remain or still arrive at the store. A failure that is not retryable, such as
 * a missing permission, is no definite response: nothing else frees the key before its
 * lease ends, and the permission may be granted again.
 */
final class ClaimCloser {

	private static final Log logger = LogFactory.getLog(ClaimCloser.class);

	private static final Consumer<ReleaseOutcome> IGNORED = (outcome) -> {
	};

	private static final long LATE_REQUESTS = Duration.ofMinutes(1).toNanos();

	/** Maximum pause in milliseconds, which limits the delay after the store recovers. */
	private static final int SLOWEST = 500;

	private final LockEngine engine;

	private final MonotonicClock clock;

	private final EngineThreads threads;

	private final StoreOutage outage;

	private final Runnable whenTried;

	private final AtomicInteger untried = new AtomicInteger();

	ClaimCloser(LockEngine engine, MonotonicClock clock, EngineThreads threads, StoreOutage outage,
			Runnable whenTried) {
		this.engine = engine;
		this.clock = clock;
		this.threads = threads;
		this.outage = outage;
		this.whenTried = whenTried;
	}

	void close(Claim claim) {
		close(claim, IGNORED);
	}

	/**
	 * Close a claim.
	 * @param responded called with the store's response, in a thread that must not block
	 */
	void close(Claim claim, Consumer<ReleaseOutcome> responded) {
		if (this.threads.isClosed()) {
			return;
		}
		this.untried.incrementAndGet();
		long giveUp = this.clock.nanoTime() + claim.lease().toNanos() + LATE_REQUESTS;
		this.threads.releases().execute(() -> {
			boolean closed = tryClose(claim, responded);
			this.untried.decrementAndGet();
			this.whenTried.run();
			if (!closed) {
				retry(claim, responded, 1, giveUp);
			}
		});
	}

	/** Close a claim with one attempt, because its lease is short. */
	void closeOnce(Claim claim) {
		this.threads.releases().execute(() -> tryClose(claim, IGNORED));
	}

	/** Close a claim after a delay, which may be zero. */
	void closeAfter(Claim claim, Duration delay) {
		closeAfter(claim, delay, () -> false);
	}

	/**
	 * Close a claim after a delay, such as the rest of its lease.
	 * @param closed whether the claim was closed during the delay
	 */
	void closeAfter(Claim claim, Duration delay, BooleanSupplier closed) {
		if (delay.isZero()) {
			close(claim);
			return;
		}
		this.threads.schedule(() -> {
			if (!closed.getAsBoolean()) {
				close(claim);
			}
		}, delay.toNanos());
	}

	/** Return whether at least one attempt was made to close each claim. */
	boolean hasTriedAll() {
		return this.untried.get() == 0;
	}

	private void retry(Claim claim, Consumer<ReleaseOutcome> responded, int failures, long giveUp) {
		if (this.clock.nanoTime() - giveUp >= 0) {
			logger.warn(
					"Lock '%s' could not be released: it stays locked until its lease expires".formatted(claim.key()));
			return;
		}
		int most = Math.min(SLOWEST, 50 << Math.min(failures, 5));
		Duration pause = Jitter.shorten(Duration.ofMillis(most), Jitter.OF_BACKOFF, this.threads.random());
		this.threads.schedule(() -> {
			if (!tryClose(claim, responded)) {
				retry(claim, responded, failures + 1, giveUp);
			}
		}, pause, this.threads.releases());
	}

	private boolean tryClose(Claim claim, Consumer<ReleaseOutcome> responded) {
		long sent = this.clock.nanoTime();
		try {
			ReleaseOutcome outcome = this.engine.release(claim);
			this.outage.responded();
			responded.accept(outcome);
			return true;
		}
		catch (LockEngineException ex) {
			this.outage.failed(sent, ex);
			logger.debug("Lock '%s' could not be released yet".formatted(claim.key()), ex);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Engine '%s' failed to release lock '%s'".formatted(this.engine.name(), claim.key()), ex);
		}
		return false;
	}

}
