package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.IntSupplier;

import io.leasehold.DistributedLocks;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for Spring Integration's {@link LockRegistryLeaderInitiator} on locks of ours. It
 * locks again at each heartbeat, to learn whether it still leads, and unlocks that.
 */
class LockRegistryLeaderTests {

	private static final LockKey ROLE = new LockKey("leader");

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final Instance first = new Instance("first");

	private final Instance second = new Instance("second");

	@AfterEach
	void stop() {
		this.first.stop();
		this.second.stop();
		await().until(() -> this.store.size() == 0);
	}

	@Fault(120)
	@Test
	void leaderThatLostItsLockIsRevokedAndLeadsAgainWithANewLock() {
		this.first.start();
		await().until(this.first::leads);
		this.first.service.inspector().forceRelease("", ROLE);
		await().until(() -> this.first.events.size() >= 3);
		assertThat(this.first.events).containsExactly("granted", "revoked", "granted");
		this.first.awaitHeartbeats(3);
		assertThat(this.first.leads()).isTrue();
		assertThat(this.second.service.tryAcquire(ROLE.value())).isEmpty();
	}

	@Fault(120)
	@Test
	void leaderThatLostItsLockToAnotherFollowsItFromItsNextHeartbeat() {
		this.first.start();
		await().until(this.first::leads);
		this.second.start();
		this.second.awaitHeartbeats(1);
		this.first.service.inspector().forceRelease("", ROLE);
		await().until(() -> this.first.events.contains("revoked"));
		await().until(() -> this.first.leads() || this.second.leads());
		// Counts that began before
		this.first.awaitHeartbeats(1);
		this.second.awaitHeartbeats(1);
		this.first.leaders.clear();
		this.second.leaders.clear();
		this.first.awaitHeartbeats(4);
		this.second.awaitHeartbeats(4);
		assertThat(this.first.leaders).allMatch((count) -> count <= 1);
		assertThat(this.second.leaders).allMatch((count) -> count <= 1);
		assertThat(this.first.leads()).isNotEqualTo(this.second.leads());
	}

	@Fault(120)
	@Test
	void competitorThatComesAfterTheLossDoesNotLeadBesideTheFormerLeader() {
		this.first.start();
		await().until(this.first::leads);
		this.first.service.inspector().forceRelease("", ROLE);
		this.first.awaitHeartbeats(2);
		this.second.start();
		this.second.awaitHeartbeats(10);
		this.first.awaitHeartbeats(4);
		assertThat(this.first.leaders).allMatch((count) -> count <= 1);
		assertThat(this.second.leaders).allMatch((count) -> count <= 1);
	}

	private int leaders() {
		return (this.first.leads() ? 1 : 0) + (this.second.leads() ? 1 : 0);
	}

	/** One of two applications that elect a leader. */
	private final class Instance {

		final List<String> events = new CopyOnWriteArrayList<>();

		/** How many led at each heartbeat. */
		final List<Integer> leaders = new CopyOnWriteArrayList<>();

		final LockService service;

		private final LockRegistryLeaderInitiator initiator;

		Instance(String name) {
			LockOptions defaults = new LockOptions("leader", "local", Duration.ofSeconds(10), Duration.ZERO,
					Duration.ZERO, LockOptions.UNLIMITED);
			this.service = new LockService(new ServiceSettings(defaults, OnLost.THROW, 63, Duration.ofMillis(10)),
					List.of(LockRegistryLeaderTests.this.store), Member.of(name), MonotonicClock.SYSTEM, List.of(),
					ReleaseTiming.IMMEDIATE);
			this.initiator = new LockRegistryLeaderInitiator(
					new Registry(this.service, this.leaders, () -> LockRegistryLeaderTests.this.leaders()),
					new DefaultCandidate(name, ROLE.value()) {
						@Override
						public void onGranted(Context context) {
							Instance.this.events.add("granted");
						}

						@Override
						public void onRevoked(Context context) {
							Instance.this.events.add("revoked");
						}
					});
			this.initiator.setHeartBeatMillis(20);
			this.initiator.setBusyWaitMillis(5);
		}

		void start() {
			this.initiator.start();
		}

		void stop() {
			this.initiator.destroy(); // does not wait for its thread
			await().until(() -> this.service.inspector().overview().held().isEmpty());
			this.service.close();
		}

		boolean leads() {
			return this.initiator.isRunning() && this.initiator.getContext().isLeader();
		}

		void awaitHeartbeats(int count) {
			int before = this.leaders.size();
			await().until(() -> this.leaders.size() >= before + count);
		}

	}

	/**
	 * The locks of a service as Spring Integration wants them.
	 *
	 * @param locks the locks
	 * @param heartbeats how many led, at each of the heartbeats
	 * @param leaders how many lead now
	 */
	private record Registry(DistributedLocks locks, List<Integer> heartbeats,
			IntSupplier leaders) implements LockRegistry<Lock> {

		@Override
		public Lock obtain(Object lockKey) {
			Lock lock = this.locks.asLock(lockKey.toString());
			return new Lock() {

				@Override
				public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
					Registry.this.heartbeats.add(Registry.this.leaders.getAsInt());
					return lock.tryLock(time, unit);
				}

				@Override
				public void lock() {
					lock.lock();
				}

				@Override
				public void lockInterruptibly() throws InterruptedException {
					lock.lockInterruptibly();
				}

				@Override
				public boolean tryLock() {
					return lock.tryLock();
				}

				@Override
				public void unlock() {
					lock.unlock();
				}

				@Override
				public Condition newCondition() {
					return lock.newCondition();
				}

			};
		}

	}

}
