package io.leasehold.autoconfigure;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import io.leasehold.LockEngineException;
import io.leasehold.LockInspector;
import io.leasehold.LockOptions;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.MemcachedTestServer;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.server.RedisTestServer;
import io.leasehold.server.ZooKeeperTestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An outage of a store lasts until the store responds, whatever calls are made meanwhile.
 */
@Tag("full")
class OutageIntegrationTests {

	/** Engines that can list the held locks. */
	private static final List<String> LISTING = List.of("redis", "jdbc", "etcd", "zookeeper");

	private static final Duration CALL_TIMEOUT = Duration.ofMillis(300);

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class))
		.withPropertyValues("leasehold.namespace=outage-" + UUID.randomUUID());

	static Stream<Store> stores() {
		return Stream.of(
				new Store("redis", "command-timeout", RedisTestServer.shared().port(), "spring.data.redis.port=%s"),
				new Store("jdbc", "call-timeout", PostgresTestServer.shared().port(),
						"spring.datasource.url=jdbc:postgresql://127.0.0.1:%s/postgres?user=postgres",
						"leasehold.jdbc.initialize-schema=always", "leasehold.jdbc.table=outage_lock"),
				new Store("etcd", "call-timeout", EtcdTestServer.shared().port(),
						"leasehold.etcd.endpoints=http://127.0.0.1:%s"),
				new Store("zookeeper", "call-timeout", Integer.parseInt(ZooKeeperTestServer.shared().split(":")[1]),
						"leasehold.zookeeper.connect-string=127.0.0.1:%s"),
				new Store("memcached", "call-timeout", MemcachedTestServer.shared().port(),
						"leasehold.memcached.servers=127.0.0.1:%s"));
	}

	@ParameterizedTest
	@MethodSource("stores")
	void silentStoreIsDown(Store store) throws Exception {
		fail(store, FaultProxy::blackHole);
	}

	@ParameterizedTest
	@MethodSource("stores")
	void storeThatRefusesConnectionsIsDown(Store store) throws Exception {
		fail(store, (network) -> {
			network.refuse();
			network.reset();
		});
	}

	private void fail(Store store, Consumer<FaultProxy> fault) throws IOException {
		try (FaultProxy network = FaultProxy.to(store.port)) {
			this.runner.withPropertyValues(store.properties(network.port())).run((context) -> {
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				LockOptions once = locks.defaults().toBuilder().waitTime(Duration.ZERO).build();
				Awaitility.await().ignoreExceptions().until(() -> {
					locks.acquire("first", once).close();
					return isUp(context, store);
				});
				fault.accept(network);
				for (int i = 0; i < 10; i++) {
					String key = "key:" + i;
					assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> locks.acquire(key, once));
					assertThat(isUp(context, store)).as("after call " + i).isFalse();
				}
				if (LISTING.contains(store.engine)) {
					LockInspector inspector = context.getBean(LockInspector.class);
					assertThatExceptionOfType(LockEngineException.class)
						.isThrownBy(() -> inspector.held(store.engine, "", null, 10))
						.withMessageContaining("could not list the held locks");
				}
				network.heal();
				Awaitility.await().ignoreExceptions().until(() -> {
					locks.acquire("last", once).close();
					return isUp(context, store);
				});
			});
		}
	}

	private static boolean isUp(ApplicationContext context, Store store) {
		return context.getBean(LockInspector.class).isUp(store.engine);
	}

	/**
	 * A store behind a network.
	 *
	 * @param properties its address, with {@code %s} for the port, and other properties
	 */
	record Store(String engine, String timeout, int port, List<String> properties) {

		Store(String engine, String timeout, int port, String... properties) {
			this(engine, timeout, port, List.of(properties));
		}

		String[] properties(int proxy) {
			return Stream.concat(
					Stream.of("leasehold.engine=" + this.engine,
							"leasehold.%s.%s=%s".formatted(this.engine, this.timeout, CALL_TIMEOUT)),
					this.properties.stream().map((property) -> property.formatted(proxy)))
				.toArray(String[]::new);
		}

		@Override
		public String toString() {
			return this.engine;
		}

	}

}
