package io.leasehold.health;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.leasehold.LockEngineException;
import io.leasehold.LockInspector;
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
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class LockEngineHealthIndicatorTests {

	private final LocalLockEngine engine = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final LockService locks = locks();

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

	@Fault(113)
	@Test
	void blockedThreadsAreReportedAndDoNotChangeTheStatus() {
		assertThat(this.indicator.health().getDetails()).doesNotContainKey("findings");
		LockEngineHealthIndicator blocked = new LockEngineHealthIndicator(
				responding("findings", List.of("code of callers blocks")), "local", this.now::get);
		Health health = blocked.health();
		assertThat(health.getDetails()).containsEntry("findings", List.of("code of callers blocks"));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
	}

	/**
	 * Its stack trace says nothing about the store, and would hide the lines around it.
	 */
	@Test
	void failureIsOneLineInTheLog(CapturedOutput output) {
		this.engine.faults().setDown(true);
		this.indicator.health();
		assertThat(output.getOut())
			.containsOnlyOnce("Engine 'local' granted no lock: " + LockEngineException.class.getName())
			.doesNotContainPattern("granted no lock: .*\\R.*Exception");
	}

	@Test
	void healthSaysWhereTheStoreIs() {
		assertThat(this.indicator.health().getDetails()).doesNotContainKey("location");
		LockEngineHealthIndicator remote = new LockEngineHealthIndicator(responding("location", "redis-1:6379"),
				"local", this.now::get);
		assertThat(remote.health().getDetails()).containsEntry("location", "redis-1:6379");
		this.engine.faults().setDown(true);
		this.now.addAndGet(Duration.ofSeconds(5).toNanos());
		assertThat(remote.health().getDetails()).containsEntry("location", "redis-1:6379").containsKey("error");
	}

	private LockInspector responding(String method, Object response) {
		LockInspector inspector = this.locks.inspector();
		return (LockInspector) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockInspector.class }, (proxy, called, arguments) -> called.getName().equals(method)
						? response : ReflectionUtils.invokeMethod(called, inspector, arguments));
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

	private LockService locks() {
		return new LockService(
				new ServiceSettings(new LockOptions("test", "local", Duration.ofSeconds(10), Duration.ZERO,
						Duration.ZERO, LockOptions.UNLIMITED), OnLost.THROW, 63, Duration.ofMillis(10)),
				List.of(this.engine), Member.of("test"), MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);
	}

}
