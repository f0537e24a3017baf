package io.leasehold.service;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Releases claims in the background, for callers that cannot wait for it, until the store
 * has given a definite answer. Stops when the lease is over by so much that nothing of
 * the claim can be left, nor arrive late at the store.
 */
final class ClaimCloser {

	private static final Log logger = LogFactory.getLog(ClaimCloser.class);

	private static final Consumer<ReleaseOutcome> IGNORED = (outcome) -> {
	};

	private static final long LATE_REQUESTS = Duration.ofMinutes(1).toNanos();

	/** A store that is back is rid of the claim in less than a second. */
	private static final int SLOWEST = 500;

	private final LockEngine engine;

	private final MonotonicClock clock;

	private final EngineThreads threads;

	private final Runnable whenTried;

	private final AtomicInteger untried = new AtomicInteger();

	ClaimCloser(LockEngine engine, MonotonicClock clock, EngineThreads threads, Runnable whenTried) {
		this.engine = engine;
		this.clock = clock;
		this.threads = threads;
		this.whenTried = whenTried;
	}

	void close(Claim claim) {
		close(claim, IGNORED);
	}

	/**
	 * Close a claim.
	 * @param answered called with the store's answer, in a thread that must not block
	 */
	void close(Claim claim, Consumer<ReleaseOutcome> answered) {
		if (this.threads.isClosed()) {
			return;
		}
		this.untried.incrementAndGet();
		long giveUp = this.clock.nanoTime() + claim.lease().toNanos() + LATE_REQUESTS;
		this.threads.releases().execute(() -> {
			boolean closed = tryClose(claim, answered);
			this.untried.decrementAndGet();
			this.whenTried.run();
			if (!closed) {
				retry(claim, answered, 1, giveUp);
			}
		});
	}

	/** Close a claim whose lease is so short that once has to be enough. */
	void closeOnce(Claim claim) {
		this.threads.releases().execute(() -> tryClose(claim, IGNORED));
	}

	/**
	 * Close a claim that is left to the rest of its lease, if there is one.
	 * @return what is scheduled, if it is not done at once
	 */
	@Nullable Future<?> closeAfter(Claim claim, Duration rest) {
		if (rest.isZero()) {
			close(claim);
			return null;
		}
		return this.threads.schedule(() -> close(claim), rest.toNanos());
	}

	/** Whether every claim was tried to be closed at least once. */
	boolean hasTriedAll() {
		return this.untried.get() == 0;
	}

	private void retry(Claim claim, Consumer<ReleaseOutcome> answered, int failures, long giveUp) {
		if (this.clock.nanoTime() - giveUp >= 0) {
			logger.warn("Lock '%s' could not be released, it is left to its lease".formatted(claim.key()));
			return;
		}
		int most = Math.min(SLOWEST, 50 << Math.min(failures, 5));
		Duration pause = Duration.ofMillis(ThreadLocalRandom.current().nextInt(most / 2, most));
		this.threads.schedule(() -> {
			if (!tryClose(claim, answered)) {
				retry(claim, answered, failures + 1, giveUp);
			}
		}, pause, this.threads.releases());
	}

	private boolean tryClose(Claim claim, Consumer<ReleaseOutcome> answered) {
		try {
			answered.accept(this.engine.release(claim));
			return true;
		}
		catch (LockEngineException ex) {
			logger.debug("Lock '%s' could not be released yet".formatted(claim.key()), ex);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Engine '%s' failed to release lock '%s'".formatted(this.engine.name(), claim.key()), ex);
		}
		return false;
	}

}
