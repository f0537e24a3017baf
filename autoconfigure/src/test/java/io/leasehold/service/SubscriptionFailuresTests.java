package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.DelegatingEngine;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Waits whose claim cannot be subscribed to the store's signals.
 */
@ExtendWith(OutputCaptureExtension.class)
class SubscriptionFailuresTests {

	private static final LockKey KEY = new LockKey("order:42");

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final AtomicInteger attempts = new AtomicInteger();

	/** As when the engine is closed between a request and its response. */
	@Test
	void failureOfTheStoreIsNotLogged(CapturedOutput output) {
		acquireWithout(new LockEngineException(KEY, "Lock 'order:42' is unavailable: engine 'local' is closed", null));
		assertThat(output).doesNotContain("failed to subscribe").doesNotContain("LockEngineException");
	}

	@Test
	void failureOfTheEngineIsLogged(CapturedOutput output) {
		acquireWithout(new IllegalStateException("broken"));
		assertThat(output).contains("Engine 'local' failed to subscribe to lock 'order:42'; polling")
			.contains("IllegalStateException: broken");
	}

	/** Acquire a lock that is held until the subscription has failed. */
	private void acquireWithout(RuntimeException failure) {
		DelegatingEngine engine = new DelegatingEngine(this.store) {
			@Override
			public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
				SubscriptionFailuresTests.this.attempts.incrementAndGet();
				throw failure;
			}
		};
		try (LockService there = service(this.store); LockService here = service(engine)) {
			HeldLock held = there.acquire(KEY.value());
			Thread releasing = new Thread(() -> {
				Awaitility.await().until(() -> this.attempts.get() > 0);
				held.close();
			});
			releasing.start();
			HeldLock next = here.acquire(KEY.value());
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
			next.close();
		}
	}

	/** A short lease, because polls wait for its end; a busy machine may lose it. */
	private static LockService service(LockEngine engine) {
		LockOptions defaults = new LockOptions("test", "local", Duration.ofSeconds(1), Duration.ofSeconds(30),
				Duration.ZERO, LockOptions.UNLIMITED);
		return new LockService(new ServiceSettings(defaults, OnLost.WARN, 63, Duration.ofSeconds(5)), List.of(engine),
				Member.of("shop"), MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);
	}

}
