package io.leasehold.interceptor;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.Fault;
import io.micrometer.context.ContextRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the threads that run methods whose result is a stage.
 */
class StageThreadsTests {

	private static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

	@Test
	@Fault(127)
	void blockingBodiesTakeABoundedNumberOfThreads() {
		Locked.runner(Orders.class).withPropertyValues("leasehold.async.max-threads=4").run((context) -> {
			Set<Thread> threads = ConcurrentHashMap.newKeySet();
			CountDownLatch end = new CountDownLatch(1);
			List<CompletableFuture<String>> results = new ArrayList<>();
			for (int i = 0; i < 200; i++) {
				results.add(context.getBean(Orders.class).stage(i, () -> {
					threads.add(Thread.currentThread());
					return waitFor(end);
				}));
			}
			LocalLockEngine store = context.getBean(LocalLockEngine.class);
			await().until(() -> store.size() == 200 && threads.size() == 4);
			end.countDown();
			for (CompletableFuture<String> result : results) {
				assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("paid");
			}
			assertThat(threads).hasSize(4).allMatch((thread) -> thread.getName().startsWith("leasehold-body-"));
			await().until(() -> store.size() == 0);
		});
	}

	/** All threads of the application's executor wait for the results. */
	@Test
	@Fault(127)
	void callersInTheThreadsOfTheApplicationDoNotWaitForThemselves() {
		ThreadPoolTaskExecutor application = new ThreadPoolTaskExecutor();
		application.setCorePoolSize(2);
		application.setDaemon(true);
		Locked.runner(Orders.class)
			.withBean("applicationTaskExecutor", ThreadPoolTaskExecutor.class, () -> application)
			.run((context) -> {
				List<CompletableFuture<String>> results = new ArrayList<>();
				for (int i = 0; i < 8; i++) {
					int id = i;
					results.add(CompletableFuture.supplyAsync(() -> context.getBean(Orders.class)
						.stage(id, () -> CompletableFuture.supplyAsync(() -> "paid"))
						.join(), application));
				}
				for (CompletableFuture<String> result : results) {
					assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("paid");
				}
			});
	}

	/** Only the annotation is unknown to Leasehold, and its thread waits for the body. */
	@Test
	@Fault(127)
	void methodWithAnotherAsynchronousAnnotationDoesNotWaitForItself() {
		ThreadPoolTaskExecutor application = new ThreadPoolTaskExecutor();
		application.setCorePoolSize(1);
		application.setDaemon(true);
		Locked.runner(InBackground.class)
			.withBean("applicationTaskExecutor", ThreadPoolTaskExecutor.class, () -> application)
			.run((context) -> assertThat(context.getBean(BackgroundOrders.class).bill()).succeedsWithin(Locked.SOON)
				.isEqualTo("billed"));
	}

	@Test
	@Fault(127)
	void bodiesRunInTheExecutorOfTheApplicationIfItIsNamed() {
		Locked.runner(Orders.class, Executors.class)
			.run((context) -> assertThat(threadOf(context.getBean(Orders.class))).startsWith("leasehold-body-"));
		Locked.runner(Orders.class, Executors.class)
			.withPropertyValues("leasehold.async.executor=applicationTaskExecutor")
			.run((context) -> assertThat(threadOf(context.getBean(Orders.class))).startsWith("application-"));
		Locked.runner(Orders.class, Executors.class)
			.withPropertyValues("leasehold.async.executor=special")
			.run((context) -> assertThat(threadOf(context.getBean(Orders.class))).startsWith("special-"));
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.async.executor=special")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("leasehold.async.executor"));
	}

	@Test
	void beanThatIsNoExecutorFailsStartup() {
		Locked.runner(Orders.class)
			.withBean("special", String.class)
			.withPropertyValues("leasehold.async.executor=special")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasFieldOrPropertyWithValue("reason",
						"The bean of this name is not an Executor, but of type java.lang.String."));
	}

	@Test
	void executorWhoseDeclaredTypeHidesItIsFound() {
		Locked.runner(Orders.class, Hidden.class)
			.withPropertyValues("leasehold.async.executor=special")
			.run((context) -> assertThat(threadOf(context.getBean(Orders.class))).startsWith("special-"));
	}

	@Test
	@Fault(77)
	void poolWithoutThreadsFailsStartup() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.async.max-threads=0")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("leasehold.async.max-threads"));
	}

	/** A lock whose body never begins is not kept. */
	@Test
	@Fault(127)
	void bodyThatTheExecutorRejectsReleasesItsLock() {
		Locked.runner(Orders.class, Rejecting.class)
			.withPropertyValues("leasehold.async.executor=rejecting")
			.run((context) -> {
				CompletableFuture<String> result = context.getBean(Orders.class)
					.stage(1, () -> CompletableFuture.completedFuture("paid"));
				assertThat(result).failsWithin(20, TimeUnit.SECONDS)
					.withThrowableThat()
					.havingCause()
					.isInstanceOf(RejectedExecutionException.class);
				await().until(() -> Locked.isFree(context.getBean(DistributedLocks.class), "order:1"));
			});
	}

	@Test
	@Fault(127)
	void contextOfTheCallerIsCarriedToTheBody() {
		ContextRegistry.getInstance().registerThreadLocalAccessor("tenant", TENANT::get, TENANT::set, TENANT::remove);
		try {
			Locked.runner(Orders.class).run((context) -> {
				TENANT.set("acme");
				assertThat(context.getBean(Orders.class)
					.stage(1, () -> CompletableFuture.completedFuture(String.valueOf(TENANT.get())))
					.get(20, TimeUnit.SECONDS)).isEqualTo("acme");
				TENANT.remove();
				assertThat(context.getBean(Orders.class)
					.stage(1, () -> CompletableFuture.completedFuture(String.valueOf(TENANT.get())))
					.get(20, TimeUnit.SECONDS)).isEqualTo("null");
			});
		}
		finally {
			TENANT.remove();
			ContextRegistry.getInstance().removeThreadLocalAccessor("tenant");
		}
	}

	@Test
	void contextThatCannotBeReadLeavesNoLock() {
		ContextRegistry.getInstance().registerThreadLocalAccessor("tenant", () -> {
			throw new IllegalStateException("no tenant");
		}, TENANT::set, TENANT::remove);
		try {
			Locked.runner(Orders.class).run((context) -> {
				CompletableFuture<String> result = context.getBean(Orders.class)
					.stage(1, () -> CompletableFuture.completedFuture("paid"));
				assertThat(result).failsWithin(20, TimeUnit.SECONDS)
					.withThrowableThat()
					.withMessageContaining("no tenant");
				await().until(() -> context.getBean(LocalLockEngine.class).size() == 0);
				assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isTrue();
			});
		}
		finally {
			ContextRegistry.getInstance().removeThreadLocalAccessor("tenant");
		}
	}

	/** The next task of a pooled thread does not work under the lock of another call. */
	@Test
	void threadOfABodyHasNoCurrentLockAfterwards() {
		ExecutorService pool = java.util.concurrent.Executors.newSingleThreadExecutor();
		try {
			Locked.runner(Orders.class)
				.withBean("pool", Executor.class, () -> pool, (bean) -> bean.setDestroyMethodName(""))
				.withPropertyValues("leasehold.async.executor=pool")
				.run((context) -> {
					assertThat(context.getBean(Orders.class)
						.stage(1, () -> CompletableFuture.completedFuture(HeldLock.current().key()))
						.get(30, TimeUnit.SECONDS)).isEqualTo("order:1");
					assertThat(pool.submit(HeldLockScope::held).get(30, TimeUnit.SECONDS)).isEmpty();
				});
		}
		finally {
			pool.shutdownNow();
		}
	}

	private static String threadOf(Orders orders) throws Exception {
		AtomicReference<String> name = new AtomicReference<>();
		return orders.stage(1, () -> {
			name.set(Thread.currentThread().getName());
			return CompletableFuture.completedFuture(name.get());
		}).get(20, TimeUnit.SECONDS);
	}

	private static CompletableFuture<String> waitFor(CountDownLatch end) {
		try {
			assertThat(end.await(60, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return CompletableFuture.completedFuture("paid");
	}

	static class Orders {

		@DistributedLock(key = "'order:' + #id")
		public CompletableFuture<String> stage(int id, Supplier<CompletableFuture<String>> body) {
			return body.get();
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Background {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(annotation = Background.class)
	static class InBackground {

		@Bean
		BackgroundOrders orders() {
			return new BackgroundOrders();
		}

	}

	static class BackgroundOrders {

		@Background
		@DistributedLock(key = "'bill'")
		public CompletableFuture<String> bill() {
			return CompletableFuture.completedFuture("billed");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Executors {

		@Bean
		Executor applicationTaskExecutor() {
			return new SimpleAsyncTaskExecutor("application-");
		}

		@Bean
		Executor special() {
			return new SimpleAsyncTaskExecutor("special-");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Hidden {

		@Bean
		TaskScheduler special() {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setThreadNamePrefix("special-");
			return scheduler;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Rejecting {

		@Bean
		Executor rejecting() {
			return (task) -> {
				throw new RejectedExecutionException("full");
			};
		}

	}

}
