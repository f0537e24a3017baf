package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockKeys;
import io.leasehold.LockOptions;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.fencing.LeaseholdFencingAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for locks that are acquired inside a transaction, or right after its commit.
 */
@ExtendWith(OutputCaptureExtension.class)
class OpenTransactionTests {

	private static final String WARNING = "was acquired inside an open transaction";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class,
						LeaseholdFencingAutoConfiguration.class, DataSourceAutoConfiguration.class,
						JdbcTemplateAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
						TransactionAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class))
		.withUserConfiguration(Shop.class, Mail.class)
		.withPropertyValues("leasehold.engine=local", "leasehold.wait-time=0s",
				"spring.datasource.generate-unique-name=true");

	/** Another synchronization fails before the lock is checked. */
	@Test
	@Fault(97)
	void transactionInWhichALockWasTakenRollsBackWhateverItFailsWith() {
		run((context) -> {
			assertThatExceptionOfType(TransactionTimedOutException.class)
				.isThrownBy(() -> transaction(context).executeWithoutResult((status) -> {
					context.getBean(Shop.class).insert();
					TransactionSynchronizationManager.registerSynchronization(new Failing());
					context.getBean(DistributedLocks.class).acquire("inside").close();
				}));
			assertThat(sold(context)).isZero();
		});
	}

	@Test
	void lockTakenInsideIsWarnedOfOnceForEachMethod(CapturedOutput output) {
		run((context) -> {
			for (int i = 0; i < 2; i++) {
				transaction(context).executeWithoutResult((status) -> {
					context.getBean(Shop.class).sell(() -> {
					});
					context.getBean(Shop.class).refund();
					acquireByCode(context);
					acquireByOtherCode(context);
				});
			}
			assertThat(sold(context)).isEqualTo(2);
			assertThat(warnings(output, "Shop.sell", "Shop.sell")).isOne();
			assertThat(warnings(output, "Shop.sell", "Shop.refund")).isOne();
			assertThat(warnings(output, "unnamed", "OpenTransactionTests.acquireByCode")).isOne();
			assertThat(warnings(output, "unnamed", "OpenTransactionTests.acquireByOtherCode")).isOne();
			assertThat(warnings(output, ".*", ".*")).isEqualTo(4);
		});
	}

	private static void acquireByCode(AssertableApplicationContext context) {
		context.getBean(DistributedLocks.class).acquire("by code").close();
	}

	private static void acquireByOtherCode(AssertableApplicationContext context) {
		context.getBean(DistributedLocks.class).acquire("by other code").close();
	}

	private static long warnings(CapturedOutput output, String lock, String method) {
		Pattern warning = Pattern.compile("Lock " + lock + " " + WARNING + " by (\\S*\\$)?" + method + ":");
		return warning.matcher(output).results().count();
	}

	/** They guarded nothing, and others wait for them. */
	@ParameterizedTest
	@ValueSource(strings = { "keys", "async keys", "permits" })
	void keysThatWereAcquiredInVainAreReleasedBeforeTheTransactionEnds(String kind) {
		run((context) -> {
			LockService locks = context.getBean(LockService.class);
			LockOptions options = locks.defaults().toBuilder().permits(kind.equals("permits") ? 3 : 0).build();
			HeldLock busy = locks.acquireAsync("b", options).join();
			transaction(context).executeWithoutResult((status) -> {
				context.getBean(Shop.class).insert();
				assertThatExceptionOfType(LockBusyException.class)
					.isThrownBy(() -> acquireInVain(locks, kind, options));
				assertThat(context.getBean(LocalLockEngine.class).size()).as("keys that are still held").isOne();
				busy.close();
				assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
			});
			assertThat(sold(context)).isOne();
		});
	}

	/** Another thread of the library begins to acquire the second key. */
	@Test
	void allKeysOfAnAsyncCallerAreReleasedAfterItsTransaction() {
		run((context) -> {
			LockService locks = context.getBean(LockService.class);
			transaction(context).executeWithoutResult((status) -> {
				locks.acquireAllAsync(LockKeys.of(List.of("a", "b")), locks.defaults(), List.of(), (failure) -> false)
					.orTimeout(1, TimeUnit.MINUTES)
					.join()
					.close();
				assertThat(context.getBean(LocalLockEngine.class).size()).isEqualTo(2);
			});
			assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
		});
	}

	private static void acquireInVain(LockService locks, String kind, LockOptions options) throws Throwable {
		switch (kind) {
			case "keys" -> locks.acquireAll(List.of("a", "b", "c"), options);
			case "permits" -> locks.acquirePermits("b", 3, options);
			default -> {
				try {
					locks.acquireAllAsync(LockKeys.of(List.of("a", "b", "c")), options, List.of(), (failure) -> false)
						.get(20, TimeUnit.SECONDS);
				}
				catch (ExecutionException ex) {
					throw ex.getCause();
				}
			}
		}
	}

	@Test
	void reentryInsideIsNotWarnedOf(CapturedOutput output) {
		run((context) -> {
			context.getBean(Shop.class).sell(() -> context.getBean(Shop.class).sell(() -> {
			}));
			assertThat(sold(context)).isEqualTo(2);
			assertThat(output).doesNotContain(WARNING);
		});
	}

	@Test
	@Fault(102)
	void fencedListenerRunsAfterTheCommit(CapturedOutput output) {
		run((context) -> {
			transaction(context).executeWithoutResult((status) -> context.publishEvent(new Sold(7)));
			assertThat(context.getBean(JdbcTemplate.class).queryForList("SELECT id FROM mail", Integer.class))
				.containsExactly(7);
			assertThat(output).doesNotContain(WARNING).doesNotContain("ERROR");
		});
	}

	/** A list that was given to the manager may be immutable. */
	@Test
	void listenersOfTheManagerAreKept() {
		List<String> log = new ArrayList<>();
		TransactionExecutionListener own = new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution transaction) {
				log.add("own");
			}

		};
		this.runner.withBean("fixed", BeanPostProcessor.class, () -> new FixedListeners(own)).run((context) -> {
			createTables(context);
			context.getBean(Shop.class).sell(() -> {
			});
			assertThat(log).containsExactly("own");
			assertThat(context.getBean(AbstractPlatformTransactionManager.class).getTransactionExecutionListeners())
				.hasExactlyElementsOfTypes(own.getClass(), CommitGuard.class);
		});
	}

	private void run(ContextConsumer<AssertableApplicationContext> test) {
		this.runner.run((context) -> {
			createTables(context);
			test.accept(context);
		});
	}

	private static void createTables(AssertableApplicationContext context) {
		context.getBean(JdbcTemplate.class).execute("CREATE TABLE sale (id INT)");
		context.getBean(JdbcTemplate.class).execute("CREATE TABLE mail (id INT)");
	}

	private static Integer sold(AssertableApplicationContext context) {
		return context.getBean(JdbcTemplate.class).queryForObject("SELECT COUNT(*) FROM sale", Integer.class);
	}

	private static TransactionTemplate transaction(AssertableApplicationContext context) {
		return new TransactionTemplate(context.getBean(AbstractPlatformTransactionManager.class));
	}

	record Sold(int id) {

	}

	static class Shop {

		private final JdbcTemplate jdbc;

		Shop(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		@DistributedLock(key = "'sale'")
		public void sell(Runnable then) {
			insert();
			then.run();
		}

		@DistributedLock(key = "'refund'", name = "Shop.sell")
		public void refund() {
		}

		void insert() {
			this.jdbc.update("INSERT INTO sale VALUES (1)");
		}

	}

	static class Mail {

		private final JdbcTemplate jdbc;

		Mail(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@TransactionalEventListener
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(key = "'mail'", fenced = true)
		public void send(Sold event) {
			this.jdbc.update("INSERT INTO mail VALUES (?)", event.id());
		}

	}

	private static final class Failing implements TransactionSynchronization, Ordered {

		@Override
		public int getOrder() {
			return 0;
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			throw new TransactionTimedOutException("late");
		}

	}

	private record FixedListeners(TransactionExecutionListener listener) implements BeanPostProcessor {

		@Override
		public Object postProcessBeforeInitialization(Object bean, String name) {
			if (bean instanceof AbstractPlatformTransactionManager manager) {
				manager.setTransactionExecutionListeners(List.of(this.listener));
			}
			return bean;
		}

	}

}
