package io.leasehold.service;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.load.VirtualThreads;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockService} with virtual threads, on the JDKs that have them.
 */
class VirtualThreadTests {

	private static final int WAITERS = 10_000;

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final LockService locks = new LockService(
			new ServiceSettings(new LockOptions("test", "local", Duration.ofSeconds(30), Duration.ofMinutes(2),
					Duration.ZERO, LockOptions.UNLIMITED), OnLost.THROW, 63, Duration.ofMillis(10)),
			List.of(this.store), Member.of("test"), MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);

	@TempDir
	Path recordings;

	@AfterEach
	void close() {
		this.locks.close();
	}

	/**
	 * Ten thousand virtual threads wait for one lock and take their turns: none of them
	 * keeps its carrier while it waits.
	 */
	@Fault(64)
	@Test
	void tenThousandOfThemTakeTurnsWithoutPinningTheirCarriers() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger turns = new AtomicInteger();
		assertThat(VirtualThreads.pinnedBy(WAITERS, (number) -> {
			try (HeldLock held = this.locks.acquire("hot")) {
				assertThat(inside.incrementAndGet()).isOne();
				assertThat(held.isValid()).isTrue();
				inside.decrementAndGet();
				turns.incrementAndGet();
			}
		}, this.recordings)).isEmpty();
		assertThat(turns).hasValue(VirtualThreads.WARM_UP + WAITERS);
		assertThat(this.store.size()).isZero();
	}

}
