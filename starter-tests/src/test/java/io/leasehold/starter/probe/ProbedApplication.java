package io.leasehold.starter.probe;

import java.util.concurrent.CompletableFuture;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Application with the parts that its class path allows.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableAsync
@EnableScheduling
@Import({ ProbedApplication.Tasks.class, ProbedApplication.WithTransactions.class,
		ProbedApplication.WithReactiveTransactions.class, ProbedApplication.WithCaches.class })
class ProbedApplication {

	static class Tasks {

		@Async
		public CompletableFuture<String> thread() {
			return CompletableFuture.completedFuture(Thread.currentThread().getName().replaceAll("\\d+", "n"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "org.springframework.transaction.PlatformTransactionManager")
	@Import(TransactionalService.class)
	static class WithTransactions {

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(
			name = { "org.springframework.transaction.PlatformTransactionManager", "reactor.core.publisher.Mono" })
	@Import(ReactiveTransactionalService.class)
	static class WithReactiveTransactions {

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration")
	@EnableCaching
	@Import(CachedService.class)
	static class WithCaches {

	}

}
