package io.leasehold.autoconfigure;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.leasehold.LockLostEvent;
import io.leasehold.annotation.DistributedLock;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.Transactional;

/**
 * An application as users have them, for {@link ApplicationContract}: auto-configured,
 * with methods under locks, transactions, meters, health and a listener.
 */
@Configuration(proxyBeanMethods = false)
@EnableAsync
@Import({ LockedApplication.Orders.class, LockedApplication.Losses.class })
class LockedApplication {

	static SpringApplicationBuilder builder() {
		Class<?>[] autoConfigured = AutoConfigurations.getClasses(Leasehold.autoConfigurations(),
				AutoConfigurations.of(AopAutoConfiguration.class, LifecycleAutoConfiguration.class,
						TaskExecutionAutoConfiguration.class, DataSourceAutoConfiguration.class,
						DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
						JdbcTemplateAutoConfiguration.class, DataRedisAutoConfiguration.class,
						MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
						SimpleMetricsExportAutoConfiguration.class, HealthContributorAutoConfiguration.class,
						HealthContributorRegistryAutoConfiguration.class));
		return new SpringApplicationBuilder(LockedApplication.class).sources(autoConfigured)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false);
	}

	static class Orders {

		private final JdbcTemplate jdbc;

		Orders(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		void create(String id) {
			this.jdbc.execute("CREATE TABLE IF NOT EXISTS orders (id VARCHAR(99) PRIMARY KEY, items INT NOT NULL)");
			this.jdbc.update("INSERT INTO orders VALUES (?, 0)", id);
		}

		int items(String id) {
			return this.jdbc.queryForList("SELECT items FROM orders WHERE id = ?", Integer.class, id).get(0);
		}

		@Transactional
		@DistributedLock(key = "#id")
		public void addItem(String id) {
			this.jdbc.update("UPDATE orders SET items = ? WHERE id = ?", items(id) + 1, id);
		}

		@DistributedLock(key = "#key")
		public <T> T call(String key, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLock(key = "#key", lease = "70s", waitTime = "300ms")
		public <T> T callSoon(String key, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLock(key = "#keys")
		public <T> T callTogether(List<String> keys, Callable<T> body) throws Exception {
			return body.call();
		}

		@DistributedLock(key = "#key")
		public CompletableFuture<String> stage(String key, CompletableFuture<String> body) {
			return body;
		}

		@Async
		@DistributedLock(key = "#key")
		public CompletableFuture<String> async(String key, CompletableFuture<String> body) {
			return body;
		}

		@DistributedLock(key = "#key")
		public Mono<String> mono(String key, CompletableFuture<String> body) {
			return Mono.fromFuture(body);
		}

		@DistributedLock(key = "#key")
		public Flux<String> flux(String key, CompletableFuture<String> body) {
			return Mono.fromFuture(body).flux();
		}

	}

	static class Losses {

		final Queue<LockLostEvent> events = new ConcurrentLinkedQueue<>();

		@EventListener
		void lost(LockLostEvent event) {
			this.events.add(event);
		}

	}

}
