package io.leasehold.metrics;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.ApplicationEvents;
import io.leasehold.event.LockEvent;
import io.leasehold.service.LockService;
import io.leasehold.service.OnLost;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.ServiceSettings;

import static org.assertj.core.api.Assertions.assertThat;

class DroppedEventMetricsTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	@Test
	void droppedApplicationEventsAreCounted() throws Exception {
		CountDownLatch blocked = new CountDownLatch(1);
		CountDownLatch free = new CountDownLatch(1);
		try (LockService locks = locks(); ApplicationEvents events = new ApplicationEvents((event) -> {
			blocked.countDown();
			await(free);
		})) {
			new DroppedEventMetrics(events, locks.inspector()).bindTo(this.registry);
			events.onEvent(busy());
			assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
			for (int i = 0; i < 1007; i++) {
				events.onEvent(busy());
			}
			assertThat(dropped("application")).isEqualTo(7);
			assertThat(dropped("local")).isZero();
			free.countDown();
		}
	}

	private double dropped(String queue) {
		return this.registry.get("leasehold.events.dropped").tag("queue", queue).functionCounter().count();
	}

	private static LockEvent busy() {
		return new LockEvent.AcquireEnded("local", "pay", new LockKey("order:42"), AcquireOutcome.BUSY, true, 1, null);
	}

	private static LockService locks() {
		LockOptions options = new LockOptions("test", "local", Duration.ofSeconds(10), Duration.ZERO, Duration.ZERO,
				LockOptions.UNLIMITED);
		return new LockService(new ServiceSettings(options, OnLost.THROW, 63, Duration.ofSeconds(5)),
				List.of(new LocalLockEngine(MonotonicClock.SYSTEM)), Member.of("test"), MonotonicClock.SYSTEM,
				List.of(), ReleaseTiming.IMMEDIATE);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
