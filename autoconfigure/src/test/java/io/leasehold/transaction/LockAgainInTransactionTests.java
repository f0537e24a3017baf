package io.leasehold.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockInspector;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.LockView;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * Locks that are closed in a transaction and acquired again in it. They are still held,
 * because their release waits for the end of the transaction.
 */
class LockAgainInTransactionTests {

	static final String KEY = "order:7";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
				LeaseholdLocalAutoConfiguration.class, DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withUserConfiguration(Orders.class)
		.withPropertyValues("leasehold.engine=local", "leasehold.wait-time=0s",
				"spring.datasource.generate-unique-name=true");

	@Test
	void methodEntersTheLockOfAnEarlierCallAgain() {
		run((context) -> {
			inTransaction(context, TransactionDefinition.PROPAGATION_REQUIRED, () -> {
				long first = context.getBean(Orders.class).change();
				assertThat(context.getBean(Orders.class).change()).isEqualTo(first);
				assertThat(isFree(context)).isFalse();
			});
			assertThat(isFree(context)).isTrue();
		});
	}

	@Test
	void viewEntersTheLockThatItUnlocked() {
		run((context) -> {
			LockView view = context.getBean(DistributedLocks.class).asLock(KEY);
			inTransaction(context, TransactionDefinition.PROPAGATION_REQUIRED, () -> {
				for (int i = 0; i < 3; i++) {
					assertThat(view.tryLock()).isTrue();
					view.unlock();
				}
				assertThat(isFree(context)).isFalse();
			});
			assertThat(isFree(context)).isTrue();
		});
	}

	/** Work of the second call continues after the transaction. */
	@Test
	void lockLastsUntilItsLastHandleIsClosed() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			HeldLock[] second = new HeldLock[1];
			inTransaction(context, TransactionDefinition.PROPAGATION_REQUIRED, () -> {
				locks.acquire(KEY).close();
				second[0] = locks.acquire(KEY);
			});
			assertThat(isFree(context)).isFalse();
			assertThat(second[0].isValid()).isTrue();
			second[0].close();
			assertThat(isFree(context)).isTrue();
		});
	}

	/** It sees the data before the outer transaction, whose changes would be lost. */
	@Test
	void innerTransactionDoesNotEnterTheLockOfTheSuspendedOne() {
		run((context) -> inTransaction(context, TransactionDefinition.PROPAGATION_REQUIRED, () -> {
			context.getBean(Orders.class).change();
			inTransaction(context, TransactionDefinition.PROPAGATION_REQUIRES_NEW,
					() -> assertThatExceptionOfType(LockBusyException.class)
						.isThrownBy(() -> context.getBean(Orders.class).change())
						.withMessageContaining("a transaction that this thread has suspended"));
			context.getBean(Orders.class).change();
		}));
	}

	/** It would wait for the outer transaction, which waits for it. */
	@ParameterizedTest
	@EnumSource
	void innerTransactionDoesNotWaitForTheSuspendedOne(Form form) {
		this.runner.withPropertyValues("leasehold.wait-time=1h")
			.run((context) -> inTransaction(context, TransactionDefinition.PROPAGATION_REQUIRED, () -> {
				HeldLock open = context.getBean(DistributedLocks.class).acquire(KEY);
				for (int propagation : List.of(TransactionDefinition.PROPAGATION_REQUIRES_NEW,
						TransactionDefinition.PROPAGATION_NOT_SUPPORTED)) {
					inTransaction(context, propagation, () -> form.fail(context));
				}
				open.close();
				inTransaction(context, TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> form.fail(context));
				context.getBean(Orders.class).change();
			}));
	}

	@Test
	void othersWaitForASuspendedTransaction() {
		this.runner.withPropertyValues("leasehold.wait-time=1h").run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			List<CompletableFuture<Void>> others = new ArrayList<>();
			inTransaction(context, TransactionDefinition.PROPAGATION_REQUIRED, () -> {
				locks.acquire(KEY).close();
				inTransaction(context, TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> {
					others.add(locks.acquireAsync(KEY).thenAccept(HeldLock::close));
					others.add(CompletableFuture.runAsync(() -> locks.acquire(KEY).close()));
					await().until(() -> context.getBean(LockInspector.class).overview().waiting().size() == 2);
				});
			});
			others.forEach((other) -> assertThat(other).succeedsWithin(Duration.ofMinutes(1)));
		});
	}

	@Test
	void innerTransactionSharesTheLockOfTheSuspendedOne() {
		run((context) -> inTransaction(context, TransactionDefinition.PROPAGATION_REQUIRED, () -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			LockOptions shared = locks.defaults().toBuilder().mode(LockMode.SHARED).build();
			locks.acquire(KEY, shared).close();
			inTransaction(context, TransactionDefinition.PROPAGATION_REQUIRES_NEW,
					() -> locks.acquire(KEY, shared).close());
		}));
	}

	/** A handle without a scope may belong to another thread's work. */
	@Test
	void openHandleIsNotEntered() {
		run((context) -> inTransaction(context, TransactionDefinition.PROPAGATION_REQUIRED, () -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			try (HeldLock open = locks.acquire(KEY)) {
				assertThat(open.isValid()).isTrue();
				assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> locks.acquire(KEY))
					.withMessageContaining("HeldLockScope.open");
			}
			locks.acquire(KEY).close();
		}));
	}

	private void run(Consumer<ApplicationContext> test) {
		this.runner.run(test::accept);
	}

	static void inTransaction(ApplicationContext context, int propagation, Runnable work) {
		new TransactionTemplate(context.getBean(PlatformTransactionManager.class),
				new DefaultTransactionDefinition(propagation))
			.executeWithoutResult((status) -> work.run());
	}

	/** Return whether another thread acquires the lock. */
	static boolean isFree(ApplicationContext context) {
		return CompletableFuture.supplyAsync(() -> {
			LockView view = context.getBean(DistributedLocks.class).asLock(KEY);
			boolean free = view.tryLock();
			if (free) {
				view.unlock();
			}
			return free;
		}).orTimeout(1, TimeUnit.MINUTES).join();
	}

	/** Form of a call that waits for a lock. */
	enum Form {

		ANNOTATION {
			@Override
			void fail(ApplicationContext context) {
				assertRefused(() -> context.getBean(Orders.class).change());
			}
		},

		ACQUIRE {
			@Override
			void fail(ApplicationContext context) {
				assertRefused(() -> locks(context).acquire(KEY));
			}
		},

		SHARED {
			@Override
			void fail(ApplicationContext context) {
				LockOptions shared = locks(context).defaults().toBuilder().mode(LockMode.SHARED).build();
				assertRefused(() -> locks(context).acquire(KEY, shared));
			}
		},

		SEVERAL {
			@Override
			void fail(ApplicationContext context) {
				assertRefused(() -> locks(context).acquireAll(List.of("order:6", KEY)));
				locks(context).acquire("order:6").close();
			}
		},

		CALL {
			@Override
			void fail(ApplicationContext context) {
				assertRefused(() -> locks(context).call(KEY, (lock) -> null));
			}
		},

		TRY_ACQUIRE {
			@Override
			void fail(ApplicationContext context) {
				assertThat(locks(context).tryAcquire(KEY, locks(context).defaults())).isEmpty();
			}
		},

		LOCK {
			@Override
			void fail(ApplicationContext context) {
				assertRefused(() -> locks(context).asLock(KEY).lock());
				assertRefused(() -> locks(context).asLock(KEY).lockInterruptibly());
			}
		},

		TRY_LOCK {
			@Override
			void fail(ApplicationContext context) {
				assertThatNoException()
					.isThrownBy(() -> assertThat(locks(context).asLock(KEY).tryLock(1, TimeUnit.HOURS)).isFalse());
			}
		};

		abstract void fail(ApplicationContext context);

		private static DistributedLocks locks(ApplicationContext context) {
			return context.getBean(DistributedLocks.class);
		}

		private static void assertRefused(ThrowingCallable call) {
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(call)
				.withMessageContaining("a transaction that this thread has suspended");
		}

	}

	static class Orders {

		@DistributedLock(key = "'order:7'")
		public long change() {
			return HeldLockScope.held().get(0).fencingToken();
		}

	}

}
