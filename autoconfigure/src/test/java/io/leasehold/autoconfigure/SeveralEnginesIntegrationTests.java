package io.leasehold.autoconfigure;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockAcquisitionFailedEvent;
import io.leasehold.LockAcquisitionFailedEvent.Reason;
import io.leasehold.LockEngineException;
import io.leasehold.LockInspector;
import io.leasehold.LockLostEvent;
import io.leasehold.LockLostException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.endpoint.LocksDescriptor;
import io.leasehold.endpoint.LocksEndpoint;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.server.RedisTestServer;
import io.leasehold.server.ZooKeeperTestServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * One application whose methods lock in Redis, in PostgreSQL and in ZooKeeper, each
 * behind a network of its own.
 */
@Timeout(120)
class SeveralEnginesIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(6);

	private static final List<String> ENGINES = List.of("jdbc", "redis", "zookeeper");

	private static final Runnable DONE = () -> {
	};

	private final Map<String, FaultProxy> networks = new LinkedHashMap<>();

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
				HealthContributorAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withBean(Shop.class)
		.withBean(Listener.class)
		.withPropertyValues("leasehold.namespace=several-" + UUID.randomUUID(), "leasehold.engine=redis",
				"leasehold.jdbc.enabled=true", "leasehold.zookeeper.enabled=true", "leasehold.lease=" + LEASE,
				"leasehold.wait-time=0s", "leasehold.redis.command-timeout=1s", "leasehold.jdbc.call-timeout=1s",
				"leasehold.zookeeper.call-timeout=1s");

	@BeforeEach
	void connect() {
		this.networks.put("redis", FaultProxy.to(RedisTestServer.shared().port()));
		this.networks.put("jdbc", FaultProxy.to(PostgresTestServer.shared().port()));
		this.networks.put("zookeeper", FaultProxy.to(Integer
			.parseInt(ZooKeeperTestServer.shared().substring(ZooKeeperTestServer.shared().indexOf(':') + 1))));
	}

	@AfterEach
	void disconnect() throws IOException {
		for (FaultProxy network : this.networks.values()) {
			network.close();
		}
	}

	@Test
	void sameKeyIsALockOfItsOwnInEachStore() {
		all().run((context) -> {
			Shop shop = context.getBean(Shop.class);
			shop.pay(() -> assertThat(holders(context)).containsExactly("redis"));
			shop.book(() -> assertThat(holders(context)).containsExactly("jdbc"));
			shop.decide(() -> assertThat(holders(context)).containsExactly("zookeeper"));
			shop.pay(() -> shop.book(() -> shop.decide(() -> {
				assertThat(holders(context)).containsExactlyElementsOf(ENGINES);
				LocksDescriptor shown = new LocksEndpoint(context.getBean(LockInspector.class), context).locks();
				assertThat(shown.held()).extracting(LocksDescriptor.Held::engine)
					.containsExactlyInAnyOrderElementsOf(ENGINES);
			})));
			assertThat(holders(context)).isEmpty();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "jdbc", "zookeeper" })
	void storeThatIsDownFailsItsOwnMethodsAndNoOthers(String down) {
		all().run((context) -> {
			Shop shop = context.getBean(Shop.class);
			ENGINES.forEach((engine) -> under(shop, engine, DONE));
			network(down).refuse();
			network(down).reset();
			for (String engine : ENGINES) {
				if (engine.equals(down)) {
					assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> under(shop, engine, DONE));
				}
				else {
					under(shop, engine, () -> assertThat(HeldLock.current().isValid()).isTrue());
				}
			}
			for (String engine : ENGINES) {
				boolean works = !engine.equals(down);
				assertThat(health(context, engine)).isEqualTo(works ? Status.UP : Status.DOWN);
				assertThat(count(context, "leasehold.acquire", engine, "acquired")).isEqualTo(works ? 2 : 1);
				assertThat(count(context, "leasehold.acquire", engine, "unavailable")).isEqualTo(works ? 0 : 1);
			}
			Listener listener = context.getBean(Listener.class);
			Awaitility.await().until(() -> !listener.failed.isEmpty());
			assertThat(listener.failed).singleElement().satisfies((event) -> {
				assertThat(event.engine()).isEqualTo(down);
				assertThat(event.reason()).isEqualTo(Reason.UNAVAILABLE);
			});
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "jdbc" })
	void storeThatHangsDelaysNoRenewalOfTheOthers(String hanging) {
		all().run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Map<String, HeldLock> held = new LinkedHashMap<>();
			ENGINES.forEach((engine) -> held.put(engine,
					locks.acquire("order:42", locks.defaults().toBuilder().engine(engine).build())));
			network(hanging).blackHole();
			long since = System.nanoTime();
			Awaitility.await().until(() -> System.nanoTime() - since > LEASE.toNanos() && !held.get(hanging).isValid());
			List<String> valid = ENGINES.stream().filter((engine) -> held.get(engine).isValid()).toList();
			assertThat(valid).hasSize(2).doesNotContain(hanging);
			for (String engine : valid) {
				assertThat(count(context, "leasehold.renewal", engine, "renewed")).isPositive();
				assertThat(threads()).anyMatch((name) -> name.startsWith("leasehold-" + engine + "-renewal"));
				held.get(engine).close();
			}
			Listener listener = context.getBean(Listener.class);
			Awaitility.await().until(() -> !listener.lost.isEmpty());
			assertThat(listener.lost).extracting(LockLostEvent::engine).containsExactly(hanging);
			network(hanging).heal();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held.get(hanging)::close);
		});
	}

	@Test
	void storesThatAreDownAtTheStartFailOnlyTheirOwnMethods() throws SQLException {
		createTable();
		this.networks.get("jdbc").refuse();
		this.networks.get("zookeeper").refuse();
		all().withPropertyValues("leasehold.jdbc.initialize-schema=never").run((context) -> {
			Shop shop = context.getBean(Shop.class);
			shop.pay(() -> assertThat(HeldLock.current().isValid()).isTrue());
			for (String down : List.of("jdbc", "zookeeper")) {
				assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> under(shop, down, DONE));
				network(down).heal();
				Awaitility.await().ignoreExceptions().untilAsserted(() -> under(shop, down, DONE));
			}
		});
	}

	/** As Flyway does. */
	private static void createTable() throws SQLException {
		try (Connection connection = DriverManager.getConnection(PostgresTestServer.shared().url())) {
			ScriptUtils.executeSqlScript(connection,
					new ClassPathResource("io/leasehold/engine/jdbc/migration/postgresql/R__leasehold_lock.sql"));
		}
	}

	private ApplicationContextRunner all() {
		return this.runner.withPropertyValues("leasehold.jdbc.initialize-schema=always",
				"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + network("redis").port(),
				"spring.datasource.url=" + PostgresTestServer.shared().url(network("jdbc").port()),
				"leasehold.zookeeper.connect-string=127.0.0.1:" + network("zookeeper").port());
	}

	private FaultProxy network(String engine) {
		return this.networks.get(engine);
	}

	private static void under(Shop shop, String engine, Runnable work) {
		switch (engine) {
			case "redis" -> shop.pay(work);
			case "jdbc" -> shop.book(work);
			default -> shop.decide(work);
		}
	}

	/** The stores that say that the key is held. */
	private static List<String> holders(ApplicationContext context) {
		LocksEndpoint endpoint = new LocksEndpoint(context.getBean(LockInspector.class), context);
		List<String> holders = new ArrayList<>();
		for (String engine : ENGINES) {
			endpoint.lock(engine, "order:42").holders().forEach((holder) -> holders.add(engine));
		}
		return holders;
	}

	private static Status health(ApplicationContext context, String engine) {
		CompositeHealthContributor locks = context.getBean("locksHealthContributor", CompositeHealthContributor.class);
		return ((HealthIndicator) locks.getContributor(engine)).health().getStatus();
	}

	private static long count(ApplicationContext context, String timer, String engine, String outcome) {
		return context.getBean(MeterRegistry.class)
			.get(timer)
			.tags("engine", engine, "outcome", outcome)
			.timer()
			.count();
	}

	private static List<String> threads() {
		return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
	}

	static class Shop {

		@DistributedLock(key = "'order:42'")
		public void pay(Runnable work) {
			work.run();
		}

		@DistributedLock(key = "'order:42'", engine = "jdbc")
		public void book(Runnable work) {
			work.run();
		}

		@DistributedLock(key = "'order:42'", engine = "zookeeper")
		public void decide(Runnable work) {
			work.run();
		}

	}

	static class Listener {

		private final List<LockAcquisitionFailedEvent> failed = new CopyOnWriteArrayList<>();

		private final List<LockLostEvent> lost = new CopyOnWriteArrayList<>();

		@EventListener
		void failed(LockAcquisitionFailedEvent event) {
			this.failed.add(event);
		}

		@EventListener
		void lost(LockLostEvent event) {
			this.lost.add(event);
		}

	}

}
