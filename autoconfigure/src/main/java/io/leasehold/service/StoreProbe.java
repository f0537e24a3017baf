package io.leasehold.service;

import java.time.Duration;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.support.PlannedOnce;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Test of a store, which acquires and releases a lock. All processes share a few keys, so
 * that almost nothing remains in the store.
 *
 * @param lease a usual lease, so that the engine needs no session for probes alone
 * @param next plans the next test
 */
record StoreProbe(LockEngine engine, Member member, Duration lease, MonotonicClock clock, ClaimCloser closer,
		StoreOutage outage, EngineThreads threads, PlannedOnce next) {

	private static final int KEYS = 16;

	private static final int ATTEMPTS = 3;

	private static final Duration PAUSE = Duration.ofSeconds(5);

	private static final Log logger = LogFactory.getLog(StoreProbe.class);

	/**
	 * Run after a pause, and again until the outage is over, unless the threads have not
	 * started. An idle application sends no other request that shows its end.
	 */
	void repeat() {
		if (this.threads.haveStarted()) {
			this.next.plan(() -> this.threads.schedule(this::runOnce, PAUSE, this.threads.workers()));
		}
	}

	private void runOnce() {
		this.next.done();
		if (this.threads.isClosed()) {
			return;
		}
		try {
			run();
		}
		catch (LockEngineException ex) {
			logger.debug("The store of engine '%s' is still unavailable".formatted(this.engine.name()), ex);
		}
		finally {
			if (!this.outage.isOver()) {
				repeat();
			}
		}
	}

	/** Acquire and release a lock, or throw the failure. */
	Duration run() {
		int first = this.threads.random().nextInt(KEYS);
		LockKey key = key(first);
		for (int i = 0; i < ATTEMPTS; i++) {
			key = key(first + i);
			long start = this.clock.nanoTime();
			if (takeAndRelease(key, start)) {
				return Duration.ofNanos(this.clock.nanoTime() - start);
			}
		}
		throw new LockEngineException(key,
				"Engine '%s' granted none of %s keys reserved for health checks, such as '%s'"
					.formatted(this.engine.name(), ATTEMPTS, key),
				null);
	}

	private static LockKey key(int number) {
		return new LockKey("leasehold:health:" + number % KEYS);
	}

	/** Return whether the key was free; another process may be probing it, too. */
	private boolean takeAndRelease(LockKey key, long start) {
		Claim claim = new Claim(key, this.member.newOwner(), this.lease, Duration.ZERO, false, start);
		try {
			boolean granted = this.engine.tryAcquire(claim) instanceof AcquisitionOutcome.Granted;
			this.outage.responded();
			if (granted) {
				this.engine.release(claim);
			}
			return granted;
		}
		catch (RuntimeException | Error ex) {
			this.outage.testFailed(start, ex);
			this.closer.closeOnce(claim);
			throw ex;
		}
	}

}
