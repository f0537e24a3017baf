package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leasehold.DistributedLocks;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.LockView;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static io.leasehold.transaction.LockAgainInTransactionTests.KEY;
import static io.leasehold.transaction.LockAgainInTransactionTests.inTransaction;
import static io.leasehold.transaction.LockAgainInTransactionTests.isFree;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls after a transaction, for a key that the transaction still has: no thread waits
 * for its own lock, whatever was registered first.
 */
class LockAgainAfterTransactionTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
				LeaseholdLocalAutoConfiguration.class, DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withUserConfiguration(Orders.class, Listener.class)
		.withPropertyValues("leasehold.engine=local", "leasehold.wait-time=0s",
				"spring.datasource.generate-unique-name=true");

	static Stream<Arguments> cells() {
		return Stream.of(Moment.values())
			.flatMap((moment) -> Stream.of(Form.values())
				.flatMap((form) -> Stream.of(false, true)
					.flatMap((first) -> Stream
						.of(-1, TransactionDefinition.PROPAGATION_REQUIRES_NEW,
								TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
						.map((inner) -> Arguments.of(moment, form, first, inner)))));
	}

	/**
	 * A synchronization calls for the key of its transaction.
	 * @param first whether it was registered before the lock was acquired
	 * @param inner propagation of its own transaction, negative for none
	 */
	@ParameterizedTest(name = "{0}, {1}, registered first: {2}, propagation {3}")
	@MethodSource("cells")
	void callEntersTheLock(Moment moment, Form form, boolean first, int inner) {
		this.runner.run((context) -> {
			List<Boolean> free = new ArrayList<>();
			Runnable call = () -> {
				free.add(isFree(context));
				form.call(context);
				free.add(isFree(context));
			};
			new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> {
					Runnable work = (inner < 0) ? call : () -> inTransaction(context, inner, call);
					Runnable registration = () -> moment.register(work);
					if (first) {
						registration.run();
					}
					context.getBean(Orders.class).change();
					if (!first) {
						registration.run();
					}
					if (moment == Moment.AFTER_ROLLBACK) {
						status.setRollbackOnly();
					}
				});
			assertThat(free).containsExactly(false, false);
			assertThat(isFree(context)).isTrue();
		});
	}

	@Test
	void listenerOfAnEventBeforeTheLockEntersTheLock() {
		this.runner.run((context) -> {
			new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> {
					context.publishEvent(new Ordered());
					context.getBean(Orders.class).change();
					context.publishEvent(new Ordered());
				});
			assertThat(context.getBean(Listener.class).entered).isEqualTo(2);
			assertThat(isFree(context)).isTrue();
		});
	}

	/** Its thread could not enter it, and would wait for itself. */
	@ParameterizedTest
	@EnumSource
	void lockThatCannotBeEnteredIsReleasedBeforeLaterListeners(Exclusion exclusion) {
		this.runner.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			AtomicBoolean acquired = new AtomicBoolean();
			exclusion.transaction(context).executeWithoutResult((status) -> {
				locks.acquire(KEY, exclusion.inside(locks.defaults().toBuilder()).build()).close();
				Moment.AFTER_COMPLETION.register(() -> {
					locks.acquire(KEY, exclusion.after(locks.defaults().toBuilder()).build()).close();
					acquired.set(true);
				});
			});
			assertThat(acquired).isTrue();
			assertThat(isFree(context)).isTrue();
		});
	}

	enum Moment {

		AFTER_COMMIT {

			@Override
			TransactionSynchronization synchronization(Runnable action) {
				return new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						action.run();
					}

				};
			}

		},

		AFTER_COMPLETION, AFTER_ROLLBACK;

		TransactionSynchronization synchronization(Runnable action) {
			return new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					action.run();
				}

			};
		}

		void register(Runnable action) {
			TransactionSynchronizationManager.registerSynchronization(synchronization(action));
		}

	}

	/** Why a thread cannot enter a lock whose release waits for its transaction. */
	enum Exclusion {

		PERMIT {

			@Override
			LockOptions.Builder inside(LockOptions.Builder options) {
				return options.permits(1);
			}

			@Override
			LockOptions.Builder after(LockOptions.Builder options) {
				return options.permits(1);
			}

		},

		UPGRADE {

			@Override
			LockOptions.Builder inside(LockOptions.Builder options) {
				return options.mode(LockMode.SHARED);
			}

		},

		NO_GUARD {

			@Override
			TransactionTemplate transaction(ApplicationContext context) {
				return new TransactionTemplate(new DataSourceTransactionManager(context.getBean(DataSource.class)));
			}

		};

		LockOptions.Builder inside(LockOptions.Builder options) {
			return options;
		}

		LockOptions.Builder after(LockOptions.Builder options) {
			return options;
		}

		TransactionTemplate transaction(ApplicationContext context) {
			return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
		}

	}

	enum Form {

		ANNOTATION {

			@Override
			void call(ApplicationContext context) {
				context.getBean(Orders.class).change();
			}

		},

		ACQUIRE {

			@Override
			void call(ApplicationContext context) {
				context.getBean(DistributedLocks.class).acquire(KEY).close();
			}

		},

		LOCK {

			@Override
			void call(ApplicationContext context) {
				LockView view = context.getBean(DistributedLocks.class).asLock(KEY);
				assertThat(view.tryLock()).isTrue();
				view.unlock();
			}

		};

		abstract void call(ApplicationContext context);

	}

	static class Orders {

		@DistributedLock(key = "'order:7'")
		public void change() {
		}

	}

	record Ordered() {
	}

	static class Listener {

		private final Orders orders;

		int entered;

		Listener(Orders orders) {
			this.orders = orders;
		}

		@TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
		public void ordered(Ordered event) {
			this.orders.change();
			this.entered++;
		}

	}

}
