package io.leasehold.metrics;

import java.time.Duration;
import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.service.LockService;
import io.leasehold.service.OnLost;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.ServiceSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EngineStateMetrics}.
 */
class EngineStateMetricsTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	@Test
	void locksThatAreKeptForTheNextCallerAreCounted() {
		LockOptions options = new LockOptions("test", "local", Duration.ofMinutes(1), Duration.ZERO, Duration.ZERO,
				LockOptions.UNLIMITED)
			.toBuilder()
			.linger(Duration.ofMinutes(1))
			.build();
		try (LockService locks = new LockService(new ServiceSettings(options, OnLost.THROW, 63, Duration.ofSeconds(5)),
				List.of(new LocalLockEngine(MonotonicClock.SYSTEM)), Member.of("test"), MonotonicClock.SYSTEM,
				List.of(), ReleaseTiming.IMMEDIATE)) {
			new EngineStateMetrics(locks.inspector()).bindTo(this.registry);
			locks.acquire("a").close();
			assertThat(parked()).isZero();
			locks.acquire("a").close();
			assertThat(parked()).isOne();
			try (HeldLock entered = locks.acquire("a")) {
				assertThat(entered.isValid()).isTrue();
				assertThat(parked()).isZero();
			}
		}
	}

	private double parked() {
		return this.registry.get("leasehold.parked").tag("engine", "local").gauge().value();
	}

}
