package io.leasehold.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.leasehold.LockKey;
import io.leasehold.LockLostEvent;
import io.leasehold.LossCause;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.shedlock.LeaseholdShedLockAutoConfiguration;
import io.leasehold.engine.Holder;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaseholdLockProvider}: two applications of ShedLock whose jobs share
 * a store in memory.
 */
class LeaseholdLockProviderTests {

	private static final Duration MOST = Duration.ofMinutes(10);

	private static final Duration MIN_LEASE = Duration.ofSeconds(5);

	private static final Duration LEAST = Duration.ofMinutes(1);

	private final VirtualClock clock = new VirtualClock();

	private final LocalLockEngine store = new LocalLockEngine(this.clock);

	private final ConfigurableApplicationContext one = start();

	private final ConfigurableApplicationContext other = start();

	@AfterEach
	void close() {
		this.one.close();
		this.other.close();
	}

	private ConfigurableApplicationContext start(String... properties) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("leasehold.engine=local")
			.properties(properties)
			.initializers((context) -> {
				context.getBeanFactory().registerSingleton("clock", this.clock);
				context.getBeanFactory().registerSingleton("engine", new DelegatingEngine(this.store) {

					@Override
					public Duration minLease() {
						return MIN_LEASE;
					}

				});
			})
			.run();
	}

	private static Jobs jobs(ConfigurableApplicationContext application) {
		return application.getBean(Jobs.class);
	}

	/** Run in another thread, because ShedLock's locks are re-entrant in a thread. */
	private void runOnOther() {
		CompletableFuture.runAsync(() -> jobs(this.other).run(() -> {
		})).join();
	}

	private boolean isLocked() {
		return !this.store.inspect(new LockKey("job")).isEmpty();
	}

	@Test
	void jobRunsOnOneApplicationAtATime() {
		jobs(this.one).run(() -> {
			LockAssert.assertLocked();
			assertThat(this.store.inspect(new LockKey("job"))).singleElement()
				.satisfies((holder) -> assertThat(holder.remaining()).isBetween(MOST.minusMinutes(1), MOST));
			runOnOther();
		});
		assertThat(jobs(this.one).runs()).isOne();
		assertThat(jobs(this.other).runs()).isZero();
		assertThat(isLocked()).isFalse();
		runOnOther();
		assertThat(jobs(this.other).runs()).isOne();
	}

	/**
	 * The lease would be the linger time, and the key would stay locked after the job.
	 */
	@Test
	void lingerTimeOfTheApplicationDoesNotApply() {
		try (ConfigurableApplicationContext lingering = start("leasehold.linger=30s")) {
			for (int i = 0; i < 3; i++) {
				jobs(lingering).run(() -> assertThat(this.store.inspect(new LockKey("job"))).singleElement()
					.satisfies((holder) -> assertThat(holder.remaining()).isBetween(MOST.minusMinutes(1), MOST)));
				assertThat(isLocked()).isFalse();
			}
		}
	}

	@Test
	void jobIsNotRepeatedBeforeLockAtLeastFor() {
		jobs(this.one).runAtLeast(() -> {
		});
		runOnOther();
		assertThat(jobs(this.other).runs()).isZero();
		this.clock.advance(LEAST);
		runOnOther();
		assertThat(jobs(this.other).runs()).isOne();
	}

	@Test
	void jobThatTakesTooLongLosesItsLockAndKeepsItsException() {
		assertThatIllegalStateException().isThrownBy(() -> jobs(this.one).run(() -> {
			this.clock.advance(MOST);
			runOnOther();
			throw new IllegalStateException("of the job");
		})).withMessage("of the job");
		assertThat(jobs(this.other).runs()).isOne();
		await().until(() -> jobs(this.one).losses().equals(List.of(LossCause.MAX_HOLD)));
		assertThat(isLocked()).isFalse();
	}

	@Test
	void jobThatTakesTooLongEndsNormally() {
		jobs(this.one).run(() -> this.clock.advance(MOST));
		assertThat(jobs(this.one).runs()).isOne();
		await().until(() -> jobs(this.one).losses().equals(List.of(LossCause.MAX_HOLD)));
	}

	@Test
	void jobExtendsItsLock() {
		jobs(this.one).runAtLeast(() -> {
			this.clock.advance(MOST.minusMinutes(1));
			LockExtender.extendActiveLock(MOST, Duration.ZERO);
			awaitRemaining(MOST.minusMinutes(1));
			this.clock.advance(MOST.minusMinutes(1));
			runOnOther();
			LockExtender.extendActiveLock(Duration.ofMillis(1), Duration.ZERO);
			assertThat(isLocked()).isTrue();
			this.clock.advance(LEAST);
			assertThatExceptionOfType(LockExtender.LockCanNotBeExtendedException.class)
				.isThrownBy(() -> LockExtender.extendActiveLock(MOST, Duration.ZERO));
		});
		assertThat(jobs(this.one).runs()).isOne();
		assertThat(jobs(this.other).runs()).isZero();
		await().until(() -> !isLocked());
	}

	@Test
	void jobThatExtendsItsLockIsNotRepeatedBeforeTheNewLockAtLeastFor() {
		jobs(this.one).run(() -> {
			LockExtender.extendActiveLock(MOST, Duration.ofSeconds(1));
			LockExtender.extendActiveLock(MOST, Duration.ZERO);
		});
		await().until(() -> !isLocked());
		jobs(this.one).run(() -> {
			LockExtender.extendActiveLock(MOST, LEAST);
			LockExtender.extendActiveLock(Duration.ofMillis(1), Duration.ZERO);
			assertThatIllegalArgumentException().isThrownBy(() -> LockExtender.extendActiveLock(LEAST, MOST))
				.withMessage("minHold PT10M is longer than maxHold PT1M");
		});
		runOnOther();
		assertThat(jobs(this.other).runs()).isZero();
		assertThat(isLocked()).isTrue();
	}

	/** It extends a lock with the rest of its minimum hold, as it was measured. */
	@Test
	void keepAliveLockProviderKeepsALockAndItsMinimumHold() {
		Timer timer = new Timer();
		try {
			LockProvider provider = new KeepAliveLockProvider(this.one.getBean(LeaseholdLockProvider.class), timer);
			SimpleLock lock = provider.lock(new LockConfiguration(Instant.now(), "job", MOST, MOST)).orElseThrow();
			for (int i = 0; i < 4; i++) {
				this.clock.advance(MOST.dividedBy(2));
				timer.tick.run();
				awaitRemaining(MOST.minusMinutes(1));
			}
			lock.unlock();
			assertThat(isLocked()).isFalse();
		}
		finally {
			timer.shutdownNow();
		}
	}

	@Test
	void jobThatIsKeptAliveKeepsItsLockUntilItEnds() {
		try (ConfigurableApplicationContext lasting = start("leasehold.shedlock.keep-alive=true")) {
			jobs(lasting).run(() -> {
				for (int i = 0; i < 4; i++) {
					this.clock.advance(MOST.dividedBy(2));
					awaitRemaining(MOST.minusMinutes(1));
				}
				LockExtender.extendActiveLock(Duration.ofMinutes(1), Duration.ZERO);
				this.clock.advance(Duration.ofMinutes(2));
				runOnOther();
			});
			assertThat(jobs(lasting).losses()).isEmpty();
		}
		assertThat(jobs(this.other).runs()).isZero();
		assertThat(isLocked()).isFalse();
	}

	private void awaitRemaining(Duration least) {
		await().until(() -> this.store.inspect(new LockKey("job"))
			.stream()
			.map(Holder::remaining)
			.anyMatch((remaining) -> remaining.compareTo(least) > 0));
	}

	@Test
	void lockAtMostForMayBeShorterOrLongerThanAnyLease() {
		SimpleLock brief = lock(Duration.ofSeconds(1));
		assertThat(lock(MOST)).isNull();
		this.clock.advance(MIN_LEASE);
		SimpleLock lasting = lock(Duration.ofDays(1000));
		awaitRemaining(Duration.ofDays(364));
		brief.unlock();
		assertThat(isLocked()).isTrue();
		lasting.unlock();
		assertThat(isLocked()).isFalse();
	}

	private @Nullable SimpleLock lock(Duration most) {
		return this.one.getBean(LockProvider.class)
			.lock(new LockConfiguration(Instant.now(), "job", most, Duration.ZERO))
			.orElse(null);
	}

	@ImportAutoConfiguration({ LeaseholdAutoConfiguration.class, LeaseholdShedLockAutoConfiguration.class })
	@EnableSchedulerLock(defaultLockAtMostFor = "PT10M")
	@Import(Jobs.class)
	static class Application {

	}

	/** Timer whose only task a test runs. */
	static class Timer extends ScheduledThreadPoolExecutor {

		private Runnable tick = () -> {
		};

		Timer() {
			super(1);
		}

		@Override
		public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long delay, long period, TimeUnit unit) {
			this.tick = task;
			return super.scheduleAtFixedRate(task, delay, period, unit);
		}

	}

	static class Jobs {

		private volatile int runs;

		private final List<LossCause> losses = new CopyOnWriteArrayList<>();

		public int runs() {
			return this.runs;
		}

		public List<LossCause> losses() {
			return this.losses;
		}

		@EventListener
		void lost(LockLostEvent event) {
			this.losses.add(event.cause());
		}

		@SchedulerLock(name = "job")
		public void run(Runnable work) {
			this.runs++;
			work.run();
		}

		@SchedulerLock(name = "job", lockAtLeastFor = "PT1M")
		public void runAtLeast(Runnable work) {
			run(work);
		}

	}

}
