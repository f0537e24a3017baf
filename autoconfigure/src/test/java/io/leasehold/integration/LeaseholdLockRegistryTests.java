package io.leasehold.integration;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.LockLostException;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.autoconfigure.integration.LeaseholdIntegrationAutoConfiguration;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.DelegatingEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaseholdLockRegistry}, in an application on the local engine.
 */
class LeaseholdLockRegistryTests {

	private static void run(Use test) {
		run("leasehold.linger=0s", test);
	}

	private static void run(String property, Use test) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
					LeaseholdLocalAutoConfiguration.class, LeaseholdIntegrationAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=local", property)
			.run((context) -> test.of(context.getBean(LeaseholdLockRegistry.class),
					context.getBean(LocalLockEngine.class)));
	}

	@Test
	void anotherObjectOfTheKeyUnlocks() {
		run((registry, store) -> {
			registry.obtain("a").lock();
			assertThat(elsewhere(() -> registry.obtain("a").tryLock())).isFalse();
			registry.obtain("a").lockInterruptibly();
			registry.obtain("a").unlock();
			assertThat(store.size()).isOne();
			registry.obtain("a").unlock();
			assertThat(store.size()).isZero();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(registry.obtain("a")::unlock);
		});
	}

	/** A key that its process locks again and again, as an aggregator does. */
	@Test
	void locksLingerIfTheApplicationsLocksDo() {
		run("leasehold.linger=1h", (registry, store) -> {
			registry.obtain("a").lock();
			registry.obtain("a").unlock();
			assertThat(store.size()).isZero();
			registry.obtain("a").lock();
			registry.obtain("a").unlock();
			assertThat(store.size()).isOne();
		});
	}

	/** Longer than any lease of these tests, so that a pause of the machine ends none. */
	@Test
	void timeToLiveIsTheLease() {
		run((registry, store) -> {
			registry.obtain("a").lock(Duration.ofHours(1));
			assertThat(registry.obtain("b").tryLock(ChronoUnit.FOREVER.getDuration(), Duration.ofHours(1))).isTrue();
			for (String key : List.of("a", "b")) {
				assertThat(store.inspect(new LockKey(key))).singleElement()
					.satisfies((holder) -> assertThat(holder.remaining()).isGreaterThan(Duration.ofMinutes(30)));
				registry.renewLock(key);
				registry.renewLock(key, Duration.ofMinutes(1));
				registry.expireUnusedOlderThan(0);
				assertThat(elsewhere(() -> registry.obtain(key).tryLock(Duration.ZERO, Duration.ofSeconds(1))))
					.isFalse();
				registry.obtain(key).unlock();
			}
			assertThat(store.size()).isZero();
		});
	}

	@Test
	void timeToLiveMayBeShorterThanAnyLease() {
		Duration shortest = Duration.ofHours(1);
		LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
					LeaseholdIntegrationAutoConfiguration.class))
			.withPropertyValues("leasehold.lease=2h")
			.withBean("engine", LockEngine.class, () -> new DelegatingEngine(store) {

				@Override
				public Duration minLease() {
					return shortest;
				}

			})
			.run((context) -> {
				LeaseholdLockRegistry registry = context.getBean(LeaseholdLockRegistry.class);
				registry.obtain("a").lock(Duration.ofSeconds(1));
				assertThat(registry.obtain("b").tryLock(Duration.ZERO, Duration.ofMillis(1))).isTrue();
				for (String key : List.of("a", "b")) {
					assertThat(store.inspect(new LockKey(key))).singleElement()
						.satisfies(
								(holder) -> assertThat(holder.remaining()).isBetween(shortest.dividedBy(2), shortest));
					registry.obtain(key).unlock();
				}
			});
	}

	@Test
	void lossIsAConcurrentModification() {
		run((registry, store) -> {
			DistributedLock lock = registry.obtain("a");
			lock.lock(Duration.ofMillis(500));
			store.lose(new LockKey("a"));
			await().pollInSameThread()
				.untilAsserted(() -> assertThatExceptionOfType(ConcurrentModificationException.class)
					.isThrownBy(() -> registry.renewLock("a")));
			assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock)
				.withCauseInstanceOf(LockLostException.class);
			assertThatIllegalStateException().isThrownBy(() -> registry.renewLock("a")).withMessageContaining("'a'");
		});
	}

	@Test
	void workRunsUnderTheLockOfItsKey() {
		run((registry, store) -> {
			String result = registry.executeLocked("a", () -> {
				assertThat(elsewhere(() -> registry.obtain("a").tryLock())).isFalse();
				return "done";
			});
			assertThat(result).isEqualTo("done");
			registry.obtain("a").lock();
			assertThat(elsewhere(() -> {
				assertThatExceptionOfType(TimeoutException.class)
					.isThrownBy(() -> registry.executeLocked("a", Duration.ofMillis(10), () -> "never"));
				return true;
			})).isTrue();
			registry.obtain("a").unlock();
			assertThat(store.size()).isZero();
		});
	}

	@Test
	void objectsWithTheSameTextAreOneKey() {
		UUID id = UUID.randomUUID();
		assertThat(RegistryKeys.of(id)).isEqualTo(id.toString());
		assertThat(RegistryKeys.of(42L)).isEqualTo(RegistryKeys.of("42"));
		assertThat(RegistryKeys.of(TimeUnit.DAYS)).isEqualTo("DAYS");
	}

	@Test
	void objectThatIsAnotherOneInEachProcessIsRefused() {
		for (Object key : List.of(new Object(), new byte[] { 1 }, " ", 1.5)) {
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> RegistryKeys.of(key))
				.withMessageContaining("The key of a LockRegistry");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "é", "漢", "😀", "a😀" })
	void longKeyGetsADigest(String unit) {
		String path = "/data/" + unit.repeat(600);
		String key = RegistryKeys.of(path);
		assertThat(new LockKey(key).value()).startsWith("/data/" + unit).contains("...sha256:");
		assertThat(RegistryKeys.of(path)).isEqualTo(key);
		assertThat(RegistryKeys.of(path + "1")).isNotEqualTo(key);
		assertThat(RegistryKeys.of("x".repeat(512))).isEqualTo("x".repeat(512));
	}

	private static boolean elsewhere(ThrowingSupplier action) {
		return CompletableFuture.supplyAsync(() -> {
			try {
				return action.get();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}, (task) -> new Thread(task).start()).join();
	}

	private interface ThrowingSupplier {

		boolean get() throws Exception;

	}

	private interface Use {

		void of(LeaseholdLockRegistry registry, LocalLockEngine store) throws Exception;

	}

}
