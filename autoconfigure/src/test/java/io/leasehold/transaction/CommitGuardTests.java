package io.leasehold.transaction;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.SimpleTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link CommitGuard} and for what {@link TransactionalReleaseTiming} adds.
 */
@ExtendWith(OutputCaptureExtension.class)
class CommitGuardTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
				LeaseholdLocalAutoConfiguration.class, DataSourceAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				TransactionAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class))
		.withUserConfiguration(Shop.class)
		.withPropertyValues("leasehold.engine=local", "leasehold.lease=10m", "leasehold.wait-time=0s",
				"spring.datasource.generate-unique-name=true");

	@Test
	void commitsUnderAValidLock() {
		run((context) -> {
			context.getBean(Shop.class).sell(() -> {
			});
			assertThat(sold(context)).isEqualTo(1);
		});
	}

	@Test
	void annotatedTransactionRollsBackWhenItsLockWasLost() {
		run((context) -> {
			assertLost(() -> context.getBean(Shop.class).sell(() -> lose(context, HeldLock.current())));
			assertThat(sold(context)).isZero();
		});
	}

	@Test
	void templateUnderALockTakenFurtherOutRollsBack() {
		run((context) -> {
			assertLost(() -> context.getBean(DistributedLocks.class)
				.call("outer", (outer) -> context.getBean(DistributedLocks.class).call("inner", (inner) -> {
					template(context).executeWithoutResult((status) -> {
						sell(context);
						lose(context, outer);
					});
					return null;
				})));
			assertThat(sold(context)).isZero();
		});
	}

	@Test
	@SuppressWarnings("try")
	void lockTakenByHandCountsWithinItsScope() {
		run((context) -> {
			HeldLock held = context.getBean(DistributedLocks.class).acquire("by hand");
			try (HeldLockScope scope = HeldLockScope.open(held)) {
				assertLost(() -> template(context).executeWithoutResult((status) -> {
					sell(context);
					lose(context, held);
				}));
			}
			assertLost(held::close);
			assertThat(sold(context)).isZero();
		});
	}

	@Test
	void transactionThatWasOpenBeforeRollsBackWhenALockTakenInsideWasLost() {
		run((context) -> {
			assertLost(() -> template(context).executeWithoutResult((status) -> {
				sell(context);
				HeldLock held = context.getBean(DistributedLocks.class).acquire("inside");
				held.close();
				lose(context, "inside");
				await().until(() -> {
					try {
						held.throwIfLost();
						return false;
					}
					catch (LockLostException ex) {
						return true;
					}
				});
			}));
			assertThat(sold(context)).isZero();
		});
	}

	@Test
	void newTransactionInsideRollsBackAndLeavesTheSuspendedOneToItsOwnEnd() {
		run((context) -> {
			assertLost(() -> context.getBean(Shop.class).sell(() -> {
				TransactionTemplate requiresNew = template(context);
				requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
				assertLost(() -> requiresNew.executeWithoutResult((status) -> {
					sell(context);
					lose(context, HeldLock.current());
				}));
			}));
			assertThat(sold(context)).isZero();
		});
	}

	@Test
	void newTransactionThatCommittedBeforeTheLossStays() {
		run((context) -> {
			assertLost(() -> context.getBean(Shop.class).sell(() -> {
				TransactionTemplate requiresNew = template(context);
				requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
				requiresNew.executeWithoutResult((status) -> sell(context));
				lose(context, HeldLock.current());
			}));
			assertThat(sold(context)).isEqualTo(1);
		});
	}

	@Test
	void savepointIsLeftToItsTransaction() {
		run((context) -> {
			AtomicBoolean passed = new AtomicBoolean();
			assertLost(() -> context.getBean(Shop.class).sell(() -> {
				TransactionTemplate nested = template(context);
				nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
				nested.executeWithoutResult((status) -> {
					sell(context);
					lose(context, HeldLock.current());
				});
				passed.set(true);
				sell(context);
			}));
			assertThat(passed).isTrue();
			assertThat(sold(context)).isZero();
		});
	}

	@Test
	void managerWithoutSynchronizationIsGuardedToo() {
		run((context) -> {
			AbstractPlatformTransactionManager manager = context.getBean(AbstractPlatformTransactionManager.class);
			manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
			assertLost(() -> context.getBean(Shop.class).sell(() -> lose(context, HeldLock.current())));
			assertThat(sold(context)).isZero();
		});
	}

	@Test
	void jpaTransactionIsNeitherFlushedNorCommitted() {
		this.runner.withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
			.withUserConfiguration(Entities.class)
			.withPropertyValues("spring.jpa.hibernate.ddl-auto=create")
			.run((context) -> {
				assertLost(() -> context.getBean(DistributedLocks.class).call("jpa", (lock) -> {
					template(context).executeWithoutResult((status) -> {
						context.getBean(EntityManager.class).persist(new Purchase(1));
						lose(context, lock);
					});
					return null;
				}));
				assertThat(count(context, "commit_guard_tests$purchase")).isZero();
			});
	}

	@Test
	void canBeSwitchedOff() {
		this.runner.withPropertyValues("leasehold.transaction.commit-guard=false").run((context) -> {
			createTable(context);
			assertLost(() -> context.getBean(Shop.class).sell(() -> lose(context, HeldLock.current())));
			assertThat(sold(context)).isEqualTo(1);
		});
	}

	@Test
	void managerThatTakesNoListenersIsNamed(CapturedOutput output) {
		this.runner.withBean("legacy", PlatformTransactionManager.class, WithoutListeners::new).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("Transaction manager 'legacy' does not support listeners");
		});
	}

	private void run(Consumer<AssertableApplicationContext> test) {
		this.runner.run((context) -> {
			createTable(context);
			test.accept(context);
		});
	}

	private static void createTable(AssertableApplicationContext context) {
		context.getBean(JdbcTemplate.class).execute("CREATE TABLE sale (id INT)");
	}

	private static void sell(AssertableApplicationContext context) {
		context.getBean(JdbcTemplate.class).update("INSERT INTO sale VALUES (1)");
	}

	private static int sold(AssertableApplicationContext context) {
		return count(context, "sale");
	}

	private static int count(AssertableApplicationContext context, String table) {
		Integer count = context.getBean(JdbcTemplate.class)
			.queryForObject("SELECT COUNT(*) FROM " + table, Integer.class);
		return (count != null) ? count : -1;
	}

	private static TransactionTemplate template(AssertableApplicationContext context) {
		return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
	}

	/** Take the lock away, and wait until its holder could know. */
	private static void lose(AssertableApplicationContext context, HeldLock held) {
		lose(context, held.key());
		await().until(() -> !held.isValid());
	}

	/**
	 * By force, which is reported at once: a lease short enough to wait for could end.
	 */
	private static void lose(AssertableApplicationContext context, String key) {
		context.getBean(LockInspector.class).forceRelease("local", new LockKey(key));
	}

	private static void assertLost(ThrowingRunnable action) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(action::run);
	}

	interface ThrowingRunnable {

		void run() throws Exception;

	}

	static class Shop {

		private final JdbcTemplate jdbc;

		Shop(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		@DistributedLock(key = "'sale'")
		public void sell(Runnable then) {
			this.jdbc.update("INSERT INTO sale VALUES (1)");
			then.run();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@AutoConfigurationPackage(basePackageClasses = CommitGuardTests.class)
	static class Entities {

	}

	@Entity
	static class Purchase {

		@Id
		private int id;

		Purchase() {
		}

		Purchase(int id) {
			this.id = id;
		}

		int id() {
			return this.id;
		}

	}

	static class WithoutListeners implements PlatformTransactionManager {

		@Override
		public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
			return new SimpleTransactionStatus();
		}

		@Override
		public void commit(TransactionStatus status) {
		}

		@Override
		public void rollback(TransactionStatus status) {
		}

	}

}
