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
import io.leasehold.LockException;
import io.leasehold.LockInspector;
import io.leasehold.LockLostEvent;
import io.leasehold.LockLostException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.endpoint.LocksDescriptor;
import io.leasehold.endpoint.LockActivity;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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
 * One application whose methods lock in Redis, in PostgreSQL and in a third store, each
 * behind a network of its own.
 */
@Tag("full")
class SeveralEnginesIntegrationTests {

	/** Lease of a lock that is to be lost. */
	private static final Duration LEASE = Duration.ofSeconds(6);

	/** Lease of the locks that are to be renewed meanwhile. */
	private static final Duration RENEWED_LEASE = LEASE.multipliedBy(3);

	private static final Runnable DONE = () -> {
	};

	private final List<String> engines = engines();

	private final Map<String, FaultProxy> networks = new LinkedHashMap<>();

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
				HealthContributorAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withBean(Shop.class)
		.withBean(Listener.class)
		.withPropertyValues("leasehold.namespace=several-" + UUID.randomUUID(), "leasehold.engine=redis",
				"leasehold.wait-time=0s")
		.withPropertyValues(Leasehold.patient());

	List<String> engines() {
		return List.of("jdbc", "redis", "zookeeper");
	}

	@BeforeEach
	void connect() {
		this.engines.forEach((engine) -> this.networks.put(engine, FaultProxy.to(port(engine))));
	}

	int port(String engine) {
		return switch (engine) {
			case "redis" -> RedisTestServer.shared().port();
			case "jdbc" -> PostgresTestServer.shared().port();
			default ->
				Integer.parseInt(ZooKeeperTestServer.shared().substring(ZooKeeperTestServer.shared().indexOf(':') + 1));
		};
	}

	/** Return the property with the address of the third store. */
	String third() {
		return "leasehold.zookeeper.connect-string=127.0.0.1:" + network("zookeeper").port();
	}

	/** Return an application that gives up calls to some engines after a time. */
	private ApplicationContextRunner all(List<String> engines, Duration callTimeout) {
		return all().withPropertyValues(engines.stream()
			.map((engine) -> "leasehold.%s.%s=%s".formatted(engine,
					engine.equals("redis") ? "command-timeout" : "call-timeout", callTimeout))
			.toArray(String[]::new));
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
			for (String engine : this.engines) {
				under(shop, engine, () -> assertThat(holders(context)).containsExactly(engine));
			}
			shop.first(() -> shop.second(() -> shop.third(() -> {
				assertThat(holders(context)).containsExactlyElementsOf(this.engines);
				LocksDescriptor shown = endpoint(context).locks();
				assertThat(shown.held()).extracting(LocksDescriptor.Held::engine)
					.containsExactlyInAnyOrderElementsOf(this.engines);
			})));
			assertThat(holders(context)).isEmpty();
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2 })
	void storeThatIsDownFailsItsOwnMethodsAndNoOthers(int index) {
		String down = this.engines.get(index);
		all(List.of(down), Duration.ofSeconds(4)).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			this.engines.forEach((engine) -> under(shop, engine, DONE));
			network(down).refuse();
			network(down).reset();
			for (String engine : this.engines) {
				if (engine.equals(down)) {
					assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> under(shop, engine, DONE));
				}
				else {
					under(shop, engine, () -> assertThat(HeldLock.current().isValid()).isTrue());
				}
			}
			for (String engine : this.engines) {
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
	@ValueSource(ints = { 0, 1 })
	void storeThatHangsDelaysNoRenewalOfTheOthers(int index) {
		String hanging = this.engines.get(index);
		List<String> others = this.engines.stream().filter((engine) -> !engine.equals(hanging)).toList();
		ApplicationContextRunner brief = all(this.engines, Duration.ofMillis(2500))
			.withPropertyValues("leasehold.lease=" + LEASE);
		brief.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Map<String, HeldLock> held = new LinkedHashMap<>();
			others.forEach((engine) -> held.put(engine, acquire(locks, engine, RENEWED_LEASE)));
			held.put(hanging, acquire(locks, hanging, LEASE));
			network(hanging).blackHole();
			Awaitility.await().until(() -> !held.get(hanging).isValid());
			for (String engine : others) {
				Awaitility.await().until(() -> count(context, "leasehold.renewal", engine, "renewed") > 0);
				assertThat(held.get(engine).isValid()).isTrue();
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
		List<String> refusing = this.engines.stream().filter((engine) -> !engine.equals("redis")).toList();
		refusing.forEach((engine) -> network(engine).refuse());
		all(refusing, Duration.ofSeconds(4)).withPropertyValues("leasehold.jdbc.initialize-schema=never")
			.run((context) -> {
				Shop shop = context.getBean(Shop.class);
				under(shop, "redis", () -> assertThat(HeldLock.current().isValid()).isTrue());
				for (String down : refusing) {
					assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> under(shop, down, DONE));
					network(down).heal();
					Awaitility.await().ignoreExceptions().untilAsserted(() -> under(shop, down, DONE));
				}
			});
	}

	/** A busy machine may need more than one request. */
	private static HeldLock acquire(DistributedLocks locks, String engine, Duration lease) {
		return Awaitility.await()
			.ignoreExceptionsInstanceOf(LockException.class)
			.until(() -> locks.acquire("order:42", locks.defaults().toBuilder().engine(engine).lease(lease).build()),
					(held) -> true);
	}

	/** As Flyway does. */
	private static void createTable() throws SQLException {
		try (Connection connection = DriverManager.getConnection(PostgresTestServer.shared().url())) {
			ScriptUtils.executeSqlScript(connection,
					new ClassPathResource("io/leasehold/engine/jdbc/migration/postgresql/R__leasehold_lock.sql"));
		}
	}

	private ApplicationContextRunner all() {
		return this.runner
			.withPropertyValues("leasehold.jdbc.initialize-schema=always", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + network("redis").port(),
					"spring.datasource.url=" + PostgresTestServer.shared().url(network("jdbc").port()),
					"shop.first=" + this.engines.get(0), "shop.second=" + this.engines.get(1),
					"shop.third=" + this.engines.get(2))
			.withPropertyValues(this.engines.stream()
				.map((engine) -> "leasehold.%s.enabled=true".formatted(engine))
				.toArray(String[]::new))
			.withPropertyValues(third());
	}

	final FaultProxy network(String engine) {
		return this.networks.get(engine);
	}

	private void under(Shop shop, String engine, Runnable work) {
		switch (this.engines.indexOf(engine)) {
			case 0 -> shop.first(work);
			case 1 -> shop.second(work);
			default -> shop.third(work);
		}
	}

	/** The stores that say that the key is held. */
	private List<String> holders(ApplicationContext context) {
		LocksEndpoint endpoint = endpoint(context);
		List<String> holders = new ArrayList<>();
		for (String engine : this.engines) {
			endpoint.lock(engine, "order:42").holders().forEach((holder) -> holders.add(engine));
		}
		return holders;
	}

	private static LocksEndpoint endpoint(ApplicationContext context) {
		return new LocksEndpoint(context.getBean(LockInspector.class), new LockActivity(System::nanoTime, true),
				context);
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

		@DistributedLock(key = "'order:42'", engine = "${shop.first}")
		public void first(Runnable work) {
			work.run();
		}

		@DistributedLock(key = "'order:42'", engine = "${shop.second}")
		public void second(Runnable work) {
			work.run();
		}

		@DistributedLock(key = "'order:42'", engine = "${shop.third}")
		public void third(Runnable work) {
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
