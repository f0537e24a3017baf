package io.leasehold.transaction;

import java.time.Duration;
import java.util.List;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.DelegatingEngine;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A guard refuses the locks whose fenced methods fail at startup.
 */
class FenceableLockTests {

	@Test
	void guardRefusesWhatTheAnnotationRefuses() {
		EmbeddedDatabase database = new EmbeddedDatabaseBuilder().generateUniqueName(true)
			.setType(EmbeddedDatabaseType.H2)
			.build();
		new ResourceDatabasePopulator(
				new ClassPathResource("io/leasehold/transaction/migration/h2/R__leasehold_fence.sql"))
			.execute(database);
		JdbcFencingGuard guard = new JdbcFencingGuard(database, "test", Duration.ofDays(7));
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=local", "leasehold.lease=10m")
			.withBean(WeakNumbers.class)
			.run((context) -> {
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				LockOptions defaults = locks.defaults();
				try (HeldLock lock = locks.acquire("key", defaults)) {
					guard.open(lock).close();
				}
				assertRefused(guard, "several owners at once",
						locks.acquire("shared", defaults.toBuilder().mode(LockMode.SHARED).build()));
				assertRefused(guard, "several owners at once",
						locks.acquire("permit", defaults.toBuilder().permits(2).build()));
				assertRefused(guard, "several owners at once",
						locks.acquirePermits("permits", 2, defaults.toBuilder().permits(3).build()));
				assertRefused(guard, "loses data without notice",
						locks.acquire("weak", defaults.toBuilder().engine("weak").build()));
				assertRefused(guard, "loses data without notice",
						locks.acquireAll(List.of("weak 1", "weak 2"), defaults.toBuilder().engine("weak").build()));
			});
		database.shutdown();
	}

	private static void assertRefused(JdbcFencingGuard guard, String reason, HeldLock lock) {
		assertThatIllegalStateException().isThrownBy(() -> guard.open(lock))
			.withMessageContaining("cannot be fenced: ")
			.withMessageContaining(reason);
		lock.close();
	}

	static class WeakNumbers extends DelegatingEngine {

		WeakNumbers() {
			super(new LocalLockEngine(MonotonicClock.SYSTEM));
		}

		@Override
		public String name() {
			return "weak";
		}

		@Override
		public boolean numbersAlwaysGrow() {
			return false;
		}

	}

}
