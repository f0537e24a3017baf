package io.leasehold.service;

import java.util.UUID;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.Fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LackOfThreadsTests {

	/** Threads of a closed service may end later. */
	private final String engine = "lack-" + UUID.randomUUID();

	private final ScarceThreads threads = new ScarceThreads();

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final ServiceOverThreads service = new ServiceOverThreads(this.store, this.threads.of(this.engine));

	/** A lock that nobody could renew is not acquired. */
	@Fault(112)
	@Test
	void firstLockIsRefusedUntilItsThreadsCanBeStarted() throws Exception {
		this.threads.exhausted(true);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.service.acquire("a"))
			.withMessageContaining("'a'")
			.withMessageContaining("unable to create native thread")
			.satisfies((failure) -> assertThat(failure.isRetryable()).isTrue());
		assertThat(this.service.acquireAsync("a")).failsWithin(10, TimeUnit.SECONDS)
			.withThrowableThat()
			.withCauseInstanceOf(LockEngineException.class);
		assertThat(this.store.size()).isZero();
		assertThat(this.service.locks.gates.all()).isEmpty();
		this.threads.exhausted(false);
		HeldLock held = this.service.acquireAsync("a").get(30, TimeUnit.SECONDS);
		assertThat(held.isValid()).isTrue();
		held.close();
		this.service.acquire("a").close();
		this.service.close();
	}

	/** The threads that were started are enough, whatever comes. */
	@Fault(112)
	@Test
	void threadsThatWereStartedStayWhenIdle() throws Exception {
		this.service.acquire("a").close();
		assertThat(ServiceOverThreads.count("leasehold-%s-".formatted(this.engine)))
			.isEqualTo(1 + 8 + 8 + 4 + 1 + 1 + 1);
		this.service.close();
	}

}
