package io.leasehold.health;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.service.LockService;
import io.leasehold.service.OnLost;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.ServiceSettings;
import io.leasehold.test.contract.Fault;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;

class LockEngineHealthIndicatorTests {

	private final LocalLockEngine engine = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final LockService locks = locks(ReleaseTiming.IMMEDIATE);

	private final AtomicLong now = new AtomicLong();

	private final LockEngineHealthIndicator indicator = new LockEngineHealthIndicator(this.locks.inspector(), "local",
			this.now::get);

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void storeThatGivesLocksIsUp() {
		Health health = this.indicator.health();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("engine", "local").containsKey("latencyMs");
	}

	@Test
	void storeThatGivesNoneIsDownAndSaysWhy() {
		this.engine.faults().setDown(true);
		Health health = this.indicator.health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat((String) health.getDetails().get("error")).contains("LockEngineException").contains("down");
	}

	/** A caller that does not take its lock for so long is woken by the self-check. */
	@Fault(116)
	@Test
	void findingsOfTheSelfCheckAreReported() throws Exception {
		assertThat(this.indicator.health().getDetails()).doesNotContainKey("selfCheck");
		CountDownLatch free = new CountDownLatch(1);
		try (LockService slow = locks(() -> released(free))) {
			LockEngineHealthIndicator health = new LockEngineHealthIndicator(slow.inspector(), "local", this.now::get);
			CompletableFuture<HeldLock> held = CompletableFuture.supplyAsync(() -> slow.acquire("a"));
			Awaitility.await()
				.untilAsserted(() -> assertThat(health.health().getDetails().get("selfCheck"))
					.asInstanceOf(InstanceOfAssertFactories.list(String.class))
					.contains("repaired 1 times: granted locks were not taken by their callers"));
			assertThat(health.health().getStatus()).isEqualTo(Status.UP);
			free.countDown();
			held.get(30, TimeUnit.SECONDS).close();
		}
	}

	private static ReleaseTiming.Releases released(CountDownLatch free) {
		try {
			free.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return Runnable::run;
	}

	@Test
	void responseIsKeptForFiveSeconds() {
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
		this.engine.faults().setDown(true);
		this.now.addAndGet(Duration.ofMillis(4999).toNanos());
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
		this.now.addAndGet(Duration.ofMillis(1).toNanos());
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.DOWN);
		this.engine.faults().setDown(false);
		this.now.addAndGet(Duration.ofSeconds(5).toNanos());
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
	}

	private LockService locks(ReleaseTiming timing) {
		return new LockService(
				new ServiceSettings(new LockOptions("test", "local", Duration.ofSeconds(10), Duration.ZERO,
						Duration.ZERO, LockOptions.UNLIMITED), OnLost.THROW, 63, Duration.ofMillis(10)),
				List.of(this.engine), Member.of("test"), MonotonicClock.SYSTEM, List.of(), timing);
	}

}
