package io.leasehold.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.interceptor.LockInterceptorFixture.Recorder;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.Fault;
import io.leasehold.transaction.TransactionalReleaseTiming;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.AopContext;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.core.Ordered;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.test.util.AopTestUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LockAndOtherAdviceTests {

	/** A lock that was free before the commit would let others read the old state. */
	@Test
	@Fault(81)
	void lockIsTakenBeforeTheTransactionAndReleasedAfterCommit() {
		Locked.runner(Transactions.class, Accounts.class).run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			AtomicReference<Boolean> free = new AtomicReference<>();
			context.getBean(Accounts.class).inTransaction(() -> {
				assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
				onAfterCommit(() -> free.set(Locked.isFree(locks, "account")));
			});
			assertThat(free.get()).as("free when committed").isFalse();
			assertThat(Locked.isFree(locks, "account")).isTrue();
		});
	}

	/**
	 * Updates get lost as soon as one owner of a thousand does not see what the one
	 * before it has committed.
	 */
	@Test
	@Fault(81)
	void nextOwnerAlwaysSeesWhatWasCommitted() {
		Locked.runner(Transactions.class, Accounts.class)
			.withPropertyValues("leasehold.wait-time=60s")
			.run((context) -> {
				Accounts accounts = context.getBean(Accounts.class);
				ExecutorService threads = Executors.newFixedThreadPool(4);
				try {
					List<Future<?>> rounds = new ArrayList<>();
					for (int i = 0; i < 1000; i++) {
						rounds.add(threads.submit(accounts::increment));
					}
					for (Future<?> round : rounds) {
						round.get();
					}
				}
				finally {
					threads.shutdown();
				}
				assertThat(accounts.balance()).isEqualTo(1000);
			});
	}

	@Test
	void releaseInsideAnOpenTransactionWaitsForItsEnd() {
		Locked.runner(Transactions.class, Accounts.class).run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
			new TransactionTemplate(manager).executeWithoutResult((status) -> {
				accounts.inTransaction(() -> {
				});
				assertThat(Locked.isFree(locks, "account")).isFalse();
				accounts.inNewTransaction();
				accounts.inSavepoint();
				assertThat(Locked.isFree(locks, "account")).as("after inner transactions").isFalse();
				assertThat(Locked.isFree(locks, "nested")).as("lock of a savepoint").isFalse();
			});
			assertThat(Locked.isFree(locks, "account")).isTrue();
			assertThat(Locked.isFree(locks, "nested")).isTrue();
		});
	}

	@Test
	void rollbackReleasesToo() {
		Locked.runner(Transactions.class, Accounts.class).run((context) -> {
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Accounts.class).inTransaction(() -> {
				throw new IllegalStateException("no");
			}));
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "account")).isTrue();
		});
	}

	/**
	 * An order of the advices that releases before the commit is refused at the start.
	 */
	@Test
	@Fault(81)
	void lockInsideTheTransactionStopsTheStart() {
		for (int order : new int[] { Ordered.LOWEST_PRECEDENCE, Ordered.LOWEST_PRECEDENCE - 1 }) {
			Locked
				.runner((order == Ordered.LOWEST_PRECEDENCE) ? Transactions.class : EarlyTransactions.class,
						Accounts.class)
				.withPropertyValues("leasehold.order=" + order)
				.run((context) -> Locked.refusal(context)
					.hasMessageContaining("Accounts.")
					.hasMessageContaining("before its transaction is committed")
					.hasMessageContaining("leasehold.order"));
		}
	}

	/** No lock can be outside of it. */
	@Test
	void outermostTransactionIsToBeMoved() {
		Locked.runner(OutermostTransactions.class, Accounts.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Set @EnableTransactionManagement(order = ...) to a value above")
				.hasMessageNotContaining("leasehold.order to a value below"));
	}

	/** The bodies run in other threads, where Spring exposes no proxy. */
	@Test
	void bodiesOfStagesAndPublishersHaveNoCurrentProxy() {
		Locked.runner(Exposing.class, Exposed.class).run((context) -> {
			Exposed exposed = context.getBean(Exposed.class);
			assertThat(exposed.plain()).isTrue();
			Locked.failure(exposed.stage()).withMessageContaining("Cannot find current proxy");
			Locked.failure(exposed.mono().toFuture()).withMessageContaining("Cannot find current proxy");
		});
	}

	@Test
	void orderDoesNotMatterToMethodsWithoutTransaction() {
		Locked.runner(Transactions.class, LockInterceptorTests.PricesImpl.class)
			.withPropertyValues("leasehold.order=" + Ordered.LOWEST_PRECEDENCE)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void releasesKnowTransactionsOnlyWhereThereAreSome() {
		Locked.runner()
			.run((context) -> assertThat(context.getBean(ReleaseTiming.class))
				.isInstanceOf(TransactionalReleaseTiming.class));
		Locked.runner(LockInterceptorTests.PricesImpl.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.transaction"))
			.run((context) -> {
				assertThat(context.getBean(ReleaseTiming.class)).isSameAs(ReleaseTiming.IMMEDIATE);
				context.getBean(LockInterceptorTests.Prices.class).update("eu");
			});
	}

	/** A lock of the thread that only handed the work on would guard nothing. */
	@Test
	@Fault(85)
	void asyncMethodLocksInItsWorker() {
		Locked.runner(Asynchronous.class, Jobs.class).run((context) -> {
			Jobs jobs = AopTestUtils.getTargetObject(context.getBean(Jobs.class));
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			context.getBean(Jobs.class).later();
			jobs.started.await();
			assertThat(Locked.isFree(locks, "job")).isFalse();
			jobs.finish.countDown();
			assertThat(jobs.worker.get()).isNotSameAs(Thread.currentThread());
			org.awaitility.Awaitility.await().until(() -> Locked.isFree(locks, "job"));
		});
	}

	/**
	 * A lock that was released when the worker returns would not guard what its stage
	 * still does.
	 */
	@Test
	@Fault(85)
	void asyncMethodWithAStageHoldsItsLockUntilThatEnds() {
		Locked.runner(Asynchronous.class, AsyncFuture.class).run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			CompletableFuture<String> body = new CompletableFuture<>();
			CountDownLatch begun = AopTestUtils.<AsyncFuture>getTargetObject(context.getBean(AsyncFuture.class)).begun;
			CompletableFuture<String> result = context.getBean(AsyncFuture.class).run(body);
			// Before, this test could take the key that the worker requests without a
			// wait
			begun.await();
			assertThat(Locked.isFree(locks, "job")).isFalse();
			body.complete("done");
			assertThat(result.get()).isEqualTo("done");
			assertThat(Locked.isFree(locks, "job")).isTrue();
		});
	}

	@Test
	void eachRetryTakesTheLockAnew() {
		Locked.runner(Resilient.class, Flaky.class, Recorder.class).run((context) -> {
			assertThat(context.getBean(Flaky.class).run()).isEqualTo(3);
			List<Long> tokens = AopTestUtils.<Flaky>getTargetObject(context.getBean(Flaky.class)).tokens;
			assertThat(tokens).hasSize(3).doesNotHaveDuplicates().isSorted();
			assertThat(context.getBean(Recorder.class).acquired("Flaky.run")).hasSize(3);
		});
	}

	private static void onAfterCommit(Runnable action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				action.run();
			}

		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions extends Database {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = Ordered.HIGHEST_PRECEDENCE)
	static class OutermostTransactions extends Database {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(exposeProxy = true)
	static class Exposing {

	}

	static class Exposed {

		@DistributedLock(key = "'exposed'")
		public boolean plain() {
			return AopContext.currentProxy() instanceof Exposed;
		}

		@DistributedLock(key = "'exposed'")
		public CompletableFuture<Object> stage() {
			return CompletableFuture.completedFuture(AopContext.currentProxy());
		}

		@DistributedLock(key = "'exposed'")
		public Mono<Object> mono() {
			return Mono.just(AopContext.currentProxy());
		}

	}

	abstract static class Database {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().generateUniqueName(true).setType(EmbeddedDatabaseType.H2).build();
		}

		@Bean
		DataSourceTransactionManager transactionManager(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

		@Bean
		JdbcTemplate jdbcTemplate(DataSource dataSource) {
			JdbcTemplate template = new JdbcTemplate(dataSource);
			template.execute("CREATE TABLE account (balance INT NOT NULL)");
			template.execute("INSERT INTO account VALUES (0)");
			return template;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE - 2)
	static class EarlyTransactions extends Database {

	}

	static class Accounts {

		private final JdbcTemplate jdbc;

		Accounts(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		@DistributedLock(key = "'account'")
		public void inTransaction(Runnable body) {
			body.run();
		}

		@Transactional
		@DistributedLock(key = "'counter'")
		public void increment() {
			int balance = balance();
			this.jdbc.update("UPDATE account SET balance = ?", balance + 1);
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void inNewTransaction() {
		}

		@Transactional(propagation = Propagation.NESTED)
		@DistributedLock(key = "'nested'")
		public void inSavepoint() {
		}

		int balance() {
			Integer balance = this.jdbc.queryForObject("SELECT balance FROM account", Integer.class);
			return (balance != null) ? balance : 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchronous {

		@Bean
		AsyncTaskExecutor taskExecutor() {
			return new SimpleAsyncTaskExecutor("worker-");
		}

	}

	static class Jobs {

		final CountDownLatch started = new CountDownLatch(1);

		final CountDownLatch finish = new CountDownLatch(1);

		final AtomicReference<Thread> worker = new AtomicReference<>();

		@Async
		@DistributedLock(key = "'job'")
		public void later() throws InterruptedException {
			this.worker.set(Thread.currentThread());
			this.started.countDown();
			this.finish.await();
		}

	}

	static class AsyncFuture {

		final CountDownLatch begun = new CountDownLatch(1);

		@Async
		@DistributedLock(key = "'job'")
		public CompletableFuture<String> run(CompletableFuture<String> body) {
			this.begun.countDown();
			return body;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Resilient {

	}

	static class Flaky {

		final List<Long> tokens = new ArrayList<>();

		@Retryable(maxRetries = 3, delay = 1)
		@DistributedLock(key = "'flaky'")
		public int run() {
			this.tokens.add(HeldLock.current().fencingToken());
			if (this.tokens.size() < 3) {
				throw new IllegalStateException("Try again");
			}
			return this.tokens.size();
		}

	}

}
