package io.leasehold.metrics;

import java.time.Duration;
import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.service.LockService;
import io.leasehold.service.OnLost;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.ServiceSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EngineStateMetrics}.
 */
class EngineStateMetricsTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LocalLockEngine engine = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final LockService locks = new LockService(
			new ServiceSettings(
					new LockOptions("test", "local", Duration.ofMinutes(1), Duration.ZERO, Duration.ZERO,
							LockOptions.UNLIMITED)
						.toBuilder()
						.linger(Duration.ofMinutes(1))
						.build(),
					OnLost.THROW, 63, Duration.ofSeconds(5)),
			List.of(this.engine), Member.of("test"), MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);

	@BeforeEach
	void bind() {
		new EngineStateMetrics(this.locks.inspector()).bindTo(this.registry);
	}

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void locksThatAreKeptForTheNextCallerAreCounted() {
		this.locks.acquire("a").close();
		assertThat(gauge("leasehold.parked")).isZero();
		this.locks.acquire("a").close();
		assertThat(gauge("leasehold.parked")).isOne();
		try (HeldLock entered = this.locks.acquire("a")) {
			assertThat(entered.isValid()).isTrue();
			assertThat(gauge("leasehold.parked")).isZero();
		}
	}

	@Test
	void engineIsDownUntilItsStoreRespondsAgain() {
		assertThat(gauge("leasehold.engine.up")).isOne();
		this.engine.faults().setDown(true);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.locks.acquire("a"));
		assertThat(gauge("leasehold.engine.up")).isZero();
		this.engine.faults().setDown(false);
		this.locks.acquire("a").close();
		assertThat(gauge("leasehold.engine.up")).isOne();
	}

	private double gauge(String name) {
		return this.registry.get(name).tag("engine", "local").gauge().value();
	}

}
