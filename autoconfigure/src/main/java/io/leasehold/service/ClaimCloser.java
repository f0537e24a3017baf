package io.leasehold.service;

import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.support.Jitter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Background release of claims for callers that cannot wait. It is repeated until the
 * store returns a definite response, or the lease ended so long ago that nothing of the
 * claim can remain or still arrive at the store. A failure that is not retryable, such as
 * a missing permission, is no definite response: nothing else frees the key before its
 * lease ends, and the permission may be granted again. Until then, only one of the claims
 * with the same reason is requested at a time.
 */
final class ClaimCloser {

	private static final Log logger = LogFactory.getLog(ClaimCloser.class);

	private static final long LATE_REQUESTS = Duration.ofMinutes(1).toNanos();

	/** Maximum pause in milliseconds, which limits the delay after the store recovers. */
	private static final int SLOWEST = 500;

	/** Number of rejected attempts after which the store probably rejects others, too. */
	private static final int QUICK_RETRIES = 4;

	private static final Duration PROBE_PAUSE = Duration.ofSeconds(1);

	private final LockEngine engine;

	private final MonotonicClock clock;

	private final EngineThreads threads;

	private final StoreOutage outage;

	private final Runnable whenTried;

	/** Claims whose release the store rejected, by its error code. */
	private final Map<String, Rejected> rejected = new ConcurrentHashMap<>();

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
		if (this.threads.isClosed()) {
			return;
		}
		this.untried.incrementAndGet();
		long giveUp = this.clock.nanoTime() + claim.lease().toNanos() + LATE_REQUESTS;
		Closing closing = new Closing(claim, giveUp);
		this.threads.releases().execute(() -> {
			Attempt attempt = attempt(closing, 1);
			this.untried.decrementAndGet();
			this.whenTried.run();
			proceed(closing, attempt, 1);
		});
	}

	/** Close a claim with one attempt, because its lease is short. */
	void closeOnce(Claim claim) {
		this.threads.releases().execute(() -> attempt(new Closing(claim, 0), 1));
	}

	/**
	 * Close a claim after a delay, such as the rest of its lease, or at once.
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

	private void proceed(Closing closing, Attempt attempt, int failures) {
		if (attempt.rejection() != null) {
			rejected(attempt.rejection()).add(closing);
		}
		else if (!attempt.closed()) {
			retry(closing, failures);
		}
	}

	private Rejected rejected(String reason) {
		return this.rejected.computeIfAbsent(reason, (first) -> new Rejected());
	}

	private void retry(Closing closing, int failures) {
		if (closing.isOver(this.clock.nanoTime())) {
			logger.debug("Lock '%s' was not released before its lease expired".formatted(closing.claim.key()));
			return;
		}
		int most = Math.min(SLOWEST, 50 << Math.min(failures, 5));
		Duration pause = Jitter.shorten(Duration.ofMillis(most), Jitter.OF_BACKOFF, this.threads.random());
		this.threads.schedule(() -> proceed(closing, attempt(closing, failures + 1), failures + 1), pause,
				this.threads.releases());
	}

	private Attempt attempt(Closing closing, int attempts) {
		Claim claim = closing.claim;
		long sent = this.clock.nanoTime();
		try {
			if (this.engine.release(claim) instanceof ReleaseOutcome.Released) {
				this.outage.responded();
			}
			return Attempt.CLOSED;
		}
		catch (LockEngineException ex) {
			this.outage.failed(sent, ex);
			logger.debug("Lock '%s' could not be released yet".formatted(claim.key()), ex);
			boolean lasts = !ex.isRetryable() || (ex.refusal() != null && attempts >= QUICK_RETRIES);
			return lasts ? new Attempt(false, String.valueOf(ex.refusal())) : Attempt.FAILED;
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Engine '%s' failed to release lock '%s'".formatted(this.engine.name(), claim.key()), ex);
			return Attempt.FAILED;
		}
	}

	/**
	 * Result of an attempt to close a claim.
	 *
	 * @param closed whether nothing of the claim is left in the store
	 * @param rejection why the store will probably reject others, too, or {@code null}
	 */
	private record Attempt(boolean closed, @Nullable String rejection) {

		private static final Attempt CLOSED = new Attempt(true, null);

		private static final Attempt FAILED = new Attempt(false, null);

	}

	/** Claims that are kept until the store accepts the release of one of them. */
	private final class Rejected {

		private final Queue<Closing> claims = new ConcurrentLinkedQueue<>();

		/** Whether the request of one of the claims is planned. */
		private final AtomicBoolean probing = new AtomicBoolean();

		void add(Closing closing) {
			this.claims.add(closing);
			if (this.probing.compareAndSet(false, true)) {
				logger.warn(("Engine '%s' could not release lock '%s' and maybe others: the store rejects the request. "
						+ "They stay locked until their leases expire, or the store accepts such requests again")
					.formatted(ClaimCloser.this.engine.name(), closing.claim.key()));
				probeLater();
			}
		}

		private void probeLater() {
			ClaimCloser.this.threads.schedule(this::probe, PROBE_PAUSE, ClaimCloser.this.threads.releases());
		}

		private void probe() {
			long now = ClaimCloser.this.clock.nanoTime();
			this.claims.removeIf((closing) -> closing.isOver(now));
			Closing next = this.claims.poll();
			Attempt attempt = (next != null) ? attempt(next, QUICK_RETRIES) : Attempt.CLOSED;
			if (next != null && !attempt.closed()) {
				Rejected kept = (attempt.rejection() != null) ? rejected(attempt.rejection()) : this;
				kept.add(next);
				probeLater();
				return;
			}
			this.probing.set(false);
			for (Closing closing = this.claims.poll(); closing != null; closing = this.claims.poll()) {
				Closing again = closing;
				ClaimCloser.this.threads.releases().execute(() -> proceed(again, attempt(again, 1), 1));
			}
		}

	}

	/** Claim that is being closed, until an instant after which nothing of it remains. */
	private record Closing(Claim claim, long giveUp) {

		boolean isOver(long now) {
			return now - this.giveUp >= 0;
		}

	}

}
