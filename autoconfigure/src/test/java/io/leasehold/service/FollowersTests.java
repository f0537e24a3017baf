package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.AcquisitionListener;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import io.leasehold.test.contract.TestSettings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for listeners that follow acquisitions. Each receives the same, although other
 * listeners follow none or fail.
 */
class FollowersTests {

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final Follower first = new Follower();

	private final Follower second = new Follower();

	private final LockOptions options = new LockOptions("test", "local", Duration.ofSeconds(30), Duration.ZERO,
			Duration.ZERO, LockOptions.UNLIMITED);

	private final LockService locks = new LockService(TestSettings.of(this.options, OnLost.WARN), List.of(this.store),
			Member.of("test"), MonotonicClock.SYSTEM, List.of(new Failing(), this.first, new Plain(), this.second),
			ReleaseTiming.IMMEDIATE);

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	@SuppressWarnings("try")
	void eachFollowsFromTheCallToTheRelease() {
		HeldLock held = this.locks.acquire("a");
		try (HeldLockScope scope = HeldLockScope.open(held)) {
			this.locks.acquire("a").close();
		}
		assertThat(this.locks.tryAcquire("a")).isEmpty();
		held.close();
		for (Follower follower : List.of(this.first, this.second)) {
			assertThat(follower.received).containsExactly("ACQUIRED 'a'", "started " + held.fencingToken(),
					"REENTERED 'a'", "BUSY 'a' LockBusyException", "ended null");
		}
	}

	@Test
	void eachIsNotifiedOfALossOnce() {
		HeldLock held = this.locks.acquire("a");
		this.locks.inspector().forceRelease("local", new LockKey("a"));
		for (Follower follower : List.of(this.first, this.second)) {
			Awaitility.await()
				.untilAsserted(() -> assertThat(follower.received).containsExactly("ACQUIRED 'a'",
						"started " + held.fencingToken(), "ended " + LossCause.NOT_OWNER));
		}
		held.close();
		assertThat(this.first.received).hasSize(3);
	}

	private static class Plain implements LockEventListener {

		@Override
		public void onEvent(LockEvent event) {
		}

	}

	private static final class Failing extends Plain {

		@Override
		public @Nullable AcquisitionListener follow(String engine, String name, LockKey key) {
			throw new IllegalStateException("follow");
		}

	}

	private static final class Follower extends Plain {

		private final List<String> received = new CopyOnWriteArrayList<>();

		@Override
		public AcquisitionListener follow(String engine, String name, LockKey key) {
			return new AcquisitionListener() {
				@Override
				public void acquireEnded(AcquireOutcome outcome, @Nullable Exception failure) {
					Follower.this.received.add("%s '%s'%s".formatted(outcome, key,
							(failure != null) ? " " + failure.getClass().getSimpleName() : ""));
				}

				@Override
				public void holdStarted(long fencingToken) {
					Follower.this.received.add("started " + fencingToken);
				}

				@Override
				public void holdEnded(@Nullable LossCause lossCause) {
					Follower.this.received.add("ended " + lossCause);
				}
			};
		}

	}

}
