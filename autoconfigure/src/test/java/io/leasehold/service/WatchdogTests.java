package io.leasehold.service;

import java.time.Duration;
import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.VirtualClock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WatchdogTests {

	private static final Duration LEASE = Duration.ofMillis(300);

	private final VirtualClock clock = new VirtualClock();

	@Test
	void lockIsRenewedThatComesAfterDaysWithoutAny() {
		try (LockService service = service()) {
			this.clock.advance(Duration.ofDays(2));
			HeldLock held = service.acquire("a");
			long until = System.nanoTime() + LEASE.multipliedBy(2).toNanos();
			Awaitility.await().until(() -> System.nanoTime() - until > 0);
			assertThat(held.isValid()).isTrue();
		}
	}

	private LockService service() {
		LockOptions defaults = new LockOptions("test", "local", LEASE, LEASE, Duration.ZERO, LockOptions.UNLIMITED);
		return new LockService(new ServiceSettings(defaults, OnLost.WARN, 63, Duration.ofSeconds(5)),
				List.of(new LocalLockEngine(this.clock)), Member.of("test"), this.clock, List.of(),
				ReleaseTiming.IMMEDIATE);
	}

}
