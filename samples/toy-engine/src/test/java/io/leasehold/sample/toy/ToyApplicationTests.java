package io.leasehold.sample.toy;

import java.util.function.BooleanSupplier;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.engine.cas.CasSettings;
import io.leasehold.test.AutoConfigureLeasehold;
import io.leasehold.test.LockRecorder;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that has the engine as a bean, and its tests in which locks are in
 * memory.
 */
class ToyApplicationTests {

	@Nested
	@SpringBootTest(properties = "leasehold.engine=toy")
	class InProduction {

		@Test
		void locksAreInTheStoreOfTheEngine(@Autowired Shop shop, @Autowired ToyStore store) {
			assertThat(shop.order(42, () -> store.size() == 1)).isTrue();
			assertThat(store.size()).isZero();
		}

	}

	@Nested
	@SpringBootTest(properties = "leasehold.engine=toy")
	@AutoConfigureLeasehold
	class InTests {

		@Test
		void locksAreInMemory(@Autowired Shop shop, @Autowired ToyStore store, @Autowired LockRecorder recorder) {
			assertThat(shop.order(42, () -> store.size() == 0)).isTrue();
			assertThat(recorder).released("order:42");
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		ToyStore toyStore() {
			return new ToyStore();
		}

		@Bean
		LockEngine toyLockEngine(ToyStore store, MonotonicClock clock) {
			return new CasLockEngine("toy", store, CasSettings.of("shop"), clock);
		}

		@Bean
		Shop shop() {
			return new Shop();
		}

	}

	static class Shop {

		@DistributedLock(key = "'order:' + #id")
		boolean order(long id, BooleanSupplier work) {
			return work.getAsBoolean();
		}

	}

}
