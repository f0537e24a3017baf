package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class TransactionalReleaseTimingTests {

	private final TransactionalReleaseTiming timing = new TransactionalReleaseTiming(true);

	private final DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource());

	private final List<String> log = new ArrayList<>();

	@Test
	void releasesAtOnceWithoutTransaction() {
		this.timing.releases().execute(() -> this.log.add("released"));
		assertThat(this.log).containsExactly("released");
	}

	@Test
	void releasesAfterCommit() {
		template().executeWithoutResult((status) -> {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					TransactionalReleaseTimingTests.this.log.add("committed");
				}

			});
			release(this.timing.releases());
			this.log.add("body");
		});
		assertThat(this.log).containsExactly("body", "committed", "released");
	}

	@Test
	void releasesAfterRollback() {
		assertThatIllegalStateException().isThrownBy(() -> template().executeWithoutResult((status) -> {
			release(this.timing.releases());
			throw new IllegalStateException("no");
		}));
		assertThat(this.log).containsExactly("released");
	}

	/**
	 * Kafka, RabbitMQ and Redis commit their part of a transaction in its completion.
	 * They register when they are used, which is after the lock was acquired.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void releasesAfterResourcesThatCommitInTheCompletion(boolean commits) {
		CommitGuard.addTo(this.manager, true);
		template().executeWithoutResult((status) -> {
			registerResource("earlier resource");
			release(this.timing.releases());
			registerResource("later resource");
			if (!commits) {
				status.setRollbackOnly();
			}
		});
		assertThat(this.log).containsExactly("earlier resource", "later resource", "released");
	}

	/** Such a resource may be used for the first time before the commit. */
	@Test
	void releasesAfterResourcesThatAreUsedBeforeTheCommit() {
		CommitGuard.addTo(this.manager, true);
		template().executeWithoutResult((status) -> {
			release(this.timing.releases());
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					registerResource("resource");
				}

			});
		});
		assertThat(this.log).containsExactly("resource", "released");
	}

	@Test
	void releasesAfterAFailureBeforeTheCompletion() {
		assertThatExceptionOfType(TransactionTimedOutException.class)
			.isThrownBy(() -> template().executeWithoutResult((status) -> {
				release(this.timing.releases());
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						throw new TransactionTimedOutException("late");
					}

				});
			}));
		assertThat(this.log).containsExactly("released");
	}

	@Test
	void releaseAfterTheTransactionTakesPlaceAtOnce() {
		Executor releases = template().execute((status) -> this.timing.releases());
		assertThat(this.log).isEmpty();
		release(releases);
		assertThat(this.log).containsExactly("released");
	}

	@Test
	void otherThreadsReleaseWaitsToo() {
		template().executeWithoutResult((status) -> {
			Executor releases = this.timing.releases();
			CompletableFuture.runAsync(() -> release(releases)).join();
			assertThat(this.log).isEmpty();
		});
		assertThat(this.log).containsExactly("released");
	}

	@Test
	void transactionOfItsOwnInsideDoesNotEndTheOuterOne() {
		template().executeWithoutResult((status) -> {
			release(this.timing.releases());
			template(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((inner) -> {
			});
			template(TransactionDefinition.PROPAGATION_NOT_SUPPORTED).executeWithoutResult((inner) -> {
			});
			this.log.add("after inner");
		});
		assertThat(this.log).containsExactly("after inner", "released");
	}

	@Test
	void lockTakenInATransactionOfItsOwnIsReleasedWithThatOne() {
		template().executeWithoutResult((status) -> {
			template(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((inner) -> release(this.timing.releases()));
			this.log.add("after inner");
		});
		assertThat(this.log).containsExactly("released", "after inner");
	}

	@Test
	void lockTakenWhileTheTransactionIsSuspendedIsReleasedAtOnce() {
		template().executeWithoutResult((status) -> {
			template(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
				.executeWithoutResult((inner) -> release(this.timing.releases()));
			this.log.add("after inner");
		});
		assertThat(this.log).containsExactly("released", "after inner");
	}

	@Test
	void savepointDoesNotEndTheTransaction() {
		template().executeWithoutResult((status) -> {
			template(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((inner) -> {
				release(this.timing.releases());
				inner.setRollbackOnly();
			});
			this.log.add("after savepoint");
		});
		assertThat(this.log).containsExactly("after savepoint", "released");
	}

	@Test
	void failingReleaseDoesNotKeepOthersBack() {
		template().executeWithoutResult((status) -> {
			Executor releases = this.timing.releases();
			releases.execute(() -> {
				throw new IllegalStateException("no");
			});
			release(releases);
		});
		assertThat(this.log).containsExactly("released");
	}

	@Test
	void lockTakenAfterCommitIsReleasedWithTheCompletion() {
		template().executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						release(TransactionalReleaseTimingTests.this.timing.releases());
					}

				}));
		assertThat(this.log).containsExactly("released");
	}

	@Test
	void lockTakenAfterCompletionIsReleasedAtOnce() {
		template().executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCompletion(int outcome) {
						release(TransactionalReleaseTimingTests.this.timing.releases());
					}

				}));
		assertThat(this.log).containsExactly("released");
	}

	@Test
	void managerWithoutSynchronizationReleasesAtOnce() {
		this.manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		template().executeWithoutResult((status) -> {
			release(this.timing.releases());
			this.log.add("body");
		});
		assertThat(this.log).containsExactly("released", "body");
	}

	private void registerResource(String name) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int outcome) {
				TransactionalReleaseTimingTests.this.log.add(name);
			}

		});
	}

	private void release(Executor releases) {
		releases.execute(() -> this.log.add("released"));
	}

	private TransactionTemplate template() {
		return template(TransactionDefinition.PROPAGATION_REQUIRED);
	}

	private TransactionTemplate template(int propagation) {
		TransactionTemplate template = new TransactionTemplate(this.manager);
		template.setPropagationBehavior(propagation);
		return template;
	}

	private static DataSource dataSource() {
		return new DriverManagerDataSource("jdbc:h2:mem:timing;DB_CLOSE_DELAY=-1");
	}

}
