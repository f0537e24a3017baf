package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.core.SpringProperties;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class LeaseholdLifecycleTests {

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withBean("stub", LockEngine.class, () -> new StubEngine("stub"));

	@Test
	void stopsAfterTaskExecutorsAndBeforeClients() {
		this.runner.run((context) -> assertThat(context.getBean(LeaseholdLifecycle.class).getPhase())
			.isEqualTo(Integer.MAX_VALUE / 2 - 1024)
			.isLessThan(new ThreadPoolTaskExecutor().getPhase())
			.isLessThan(new ThreadPoolTaskScheduler().getPhase())
			.isPositive());
	}

	@Test
	void runsWithTheContext() {
		this.runner.run((context) -> {
			LeaseholdLifecycle lifecycle = context.getBean(LeaseholdLifecycle.class);
			assertThat(lifecycle.isRunning()).isTrue();
			context.getSourceApplicationContext().stop();
			assertThat(lifecycle.isRunning()).isFalse();
		});
	}

	@Test
	void stopIsOverAtOnceWhenNothingIsHeld() {
		this.runner.run((context) -> {
			CountDownLatch stopped = new CountDownLatch(1);
			context.getBean(LeaseholdLifecycle.class).stop(stopped::countDown);
			assertThat(stopped.getCount()).isZero();
		});
	}

	@Test
	void stopWaitsForTheHolder() {
		this.runner.run((context) -> {
			CountDownLatch stopped = new CountDownLatch(1);
			HeldLock held = context.getBean(DistributedLocks.class).acquire("order:42");
			context.getBean(LeaseholdLifecycle.class).stop(stopped::countDown);
			assertThat(stopped.getCount()).isOne();
			assertThat(held.isValid()).isTrue();
			held.close();
			await().until(() -> stopped.getCount() == 0);
		});
	}

	@Test
	void noLockIsTakenOnceTheStopHasBegun() {
		this.runner.run((context) -> {
			context.getBean(LeaseholdLifecycle.class).stop();
			assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> context.getBean(DistributedLocks.class).acquire("order:42"))
				.withMessage("Lock 'order:42' could not be acquired: the application is shutting down");
		});
	}

	@Test
	void locksAreTakenAgainAfterARestart() {
		this.runner.run((context) -> {
			context.getSourceApplicationContext().stop();
			context.getSourceApplicationContext().start();
			context.getBean(DistributedLocks.class).acquire("order:42").close();
		});
	}

	/**
	 * A process that goes on from a snapshot was stopped before and is started
	 * afterwards, maybe several times over: each copy is a member of its own, and none
	 * believes in what was held before.
	 */
	@Fault(90)
	@Test
	void copyOfASnapshotHoldsNothing() {
		this.runner.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			LeaseholdLifecycle lifecycle = context.getBean(LeaseholdLifecycle.class);
			Member member = context.getBean(Member.class);
			String before = member.id();
			HeldLock held = locks.acquire("order:42");
			lifecycle.stop();
			lifecycle.start();
			assertThat(member.id()).isNotEqualTo(before);
			assertThat(held.isValid()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
				.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.SHUTDOWN));
			locks.acquire("order:43").close();
		});
	}

	/**
	 * Spring may also take the snapshot before the first start, when nothing was stopped.
	 */
	@Fault(90)
	@Test
	void copyOfASnapshotDuringStartupIsAMemberOfItsOwn() {
		// Reads the property once, and takes no snapshot here
		new DefaultLifecycleProcessor();
		SpringProperties.setProperty(DefaultLifecycleProcessor.CHECKPOINT_PROPERTY_NAME,
				DefaultLifecycleProcessor.ON_REFRESH_VALUE);
		try {
			this.runner.withUserConfiguration(Startup.class)
				.run((context) -> assertThat(context.getBean(Member.class).id())
					.isNotEqualTo(context.getBean(Startup.class).id));
		}
		finally {
			SpringProperties.setProperty(DefaultLifecycleProcessor.CHECKPOINT_PROPERTY_NAME, null);
		}
	}

	@Test
	void memberStaysTheSameWithoutASnapshot() {
		this.runner.withUserConfiguration(Startup.class)
			.run((context) -> assertThat(context.getBean(Member.class).id())
				.isEqualTo(context.getBean(Startup.class).id));
	}

	@Test
	void firstStartLosesNothing() {
		this.runner.run((context) -> {
			HeldLock held = context.getBean(DistributedLocks.class).acquire("order:42");
			context.getBean(LeaseholdLifecycle.class).start();
			assertThat(held.isValid()).isTrue();
			held.close();
		});
	}

	@Test
	void closingTheContextWaitsForTheHolder() throws Exception {
		AtomicReference<HeldLock> held = new AtomicReference<>();
		AtomicReference<CompletableFuture<Void>> holder = new AtomicReference<>();
		this.runner.run((context) -> {
			held.set(context.getBean(DistributedLocks.class).acquireAsync("order:42").get());
			LeaseholdLifecycle lifecycle = context.getBean(LeaseholdLifecycle.class);
			holder.set(CompletableFuture.runAsync(() -> {
				await().until(() -> !lifecycle.isRunning());
				held.get().close();
			}));
		});
		// Would be a LockLostException if the service had been closed first
		holder.get().get();
	}

	/** Task executors wait for their tasks first, so a task has to know it before. */
	@Test
	void taskUnderALockIsNotifiedBeforeItsExecutorWaitsForIt() {
		CompletableFuture<Boolean> early = new CompletableFuture<>();
		CountDownLatch begun = new CountDownLatch(1);
		this.runner.withBean(ThreadPoolTaskExecutor.class).run((context) -> {
			HeldLock held = context.getBean(DistributedLocks.class).acquireAll(List.of("a", "b"));
			LeaseholdLifecycle lifecycle = context.getBean(LeaseholdLifecycle.class);
			assertThat(held.isStopping()).isFalse();
			context.getBean(ThreadPoolTaskExecutor.class).execute(() -> {
				begun.countDown();
				await().atMost(Duration.ofSeconds(20)).until(held::isStopping);
				early.complete(lifecycle.isRunning() && held.isValid());
				held.close();
			});
			begun.await();
		});
		assertThat(early).isCompletedWithValue(true);
	}

	@Test
	void applicationDoesNotStopWithAChildContext() {
		this.runner.run((context) -> {
			HeldLock held = context.getBean(DistributedLocks.class).acquire("order:42");
			new ApplicationContextRunner().withParent(context).run((child) -> {
			});
			assertThat(held.isStopping()).isFalse();
			held.close();
		});
	}

	@Test
	void restartedApplicationIsNotStopping() {
		this.runner.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			HeldLock held = locks.acquire("order:42");
			LeaseholdLifecycle lifecycle = context.getBean(LeaseholdLifecycle.class);
			lifecycle.stop();
			assertThat(held.isStopping()).isTrue();
			held.close();
			lifecycle.start();
			try (HeldLock next = locks.acquire("order:42")) {
				assertThat(next.isStopping()).isFalse();
			}
		});
	}

	@Test
	void holdThatOutlastsThePhaseIsLost() {
		AtomicReference<HeldLock> held = new AtomicReference<>();
		this.runner.run((context) -> {
			held.set(context.getBean(DistributedLocks.class).acquire("order:42"));
			context.getBean(LockService.class).close();
		});
		assertThat(held.get().isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> held.get().close());
	}

	@Test
	void pausedContextGoesOnTakingLocks() {
		this.runner.run((context) -> {
			AbstractApplicationContext source = (AbstractApplicationContext) context.getSourceApplicationContext();
			source.pause();
			source.restart();
			context.getBean(DistributedLocks.class).acquire("order:42").close();
			assertThat(context.getBean(LeaseholdLifecycle.class).isRunning()).isTrue();
		});
	}

	/** The identity before the first start. */
	static class Startup implements SmartInitializingSingleton {

		private final Member member;

		@Nullable String id;

		Startup(Member member) {
			this.member = member;
		}

		@Override
		public void afterSingletonsInstantiated() {
			this.id = this.member.id();
		}

	}

}
