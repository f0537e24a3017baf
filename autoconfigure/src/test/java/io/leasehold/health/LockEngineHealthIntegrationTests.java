package io.leasehold.health;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.leasehold.LockInspector;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.jdbc.LeaseholdJdbcAutoConfiguration;
import io.leasehold.autoconfigure.redis.LeaseholdRedisAutoConfiguration;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Pace;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockEngineHealthIndicator} on stores that respond but give no locks.
 */
@Tag("full")
class LockEngineHealthIntegrationTests {

	private final AtomicLong now = new AtomicLong();

	@Test
	void redisThatTakesNoWritesIsDown() {
		try (RedisTestServer server = RedisTestServer.start();
				RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", server.port()));
				StatefulRedisConnection<String, String> connection = client.connect()) {
			RedisCommands<String, String> redis = connection.sync();
			// Commands that outlast a pause of the machine
			ApplicationContextRunner patient = redis(server).withPropertyValues("leasehold.redis.command-timeout=4s",
					"leasehold.redis.min-validity=4s", "leasehold.redis.grant-lease=10s");
			patient.run((context) -> {
				LockEngineHealthIndicator indicator = indicator(context.getBean(LockInspector.class), "redis");
				assertThat(next(indicator).getStatus()).isEqualTo(Status.UP);
				redis.replicaof("127.0.0.1", 1);
				assertThat(next(indicator).getDetails().get("error").toString()).contains("READONLY");
				redis.replicaofNoOne();
				awaitUp(indicator);
				redis.configSet("maxmemory", "1");
				assertThat(next(indicator).getDetails().get("error").toString()).contains("OOM");
				redis.configSet("maxmemory", "0");
				assertThat(next(indicator).getStatus()).isEqualTo(Status.UP);
				assertThat(ScanIterator.scan(redis).stream()).as("neither locks nor queues")
					.noneMatch((key) -> key.matches(".*}(:queue)?"));
			});
		}
	}

	@Test
	void redisThatIsStoppedIsDownWithinABound() {
		try (RedisTestServer server = RedisTestServer.start()) {
			redis(server).run((context) -> {
				LockEngineHealthIndicator indicator = indicator(context.getBean(LockInspector.class), "redis");
				awaitUp(indicator);
				stop(server);
				Pace asked = Pace.begin();
				assertThat(next(indicator).getStatus()).isEqualTo(Status.DOWN);
				assertThat(asked.elapsed()).isLessThan(asked.slack(Duration.ofSeconds(4)));
				server.restartEmpty();
				awaitUp(indicator);
			});
		}
	}

	@Test
	void databaseThatBecomesReadOnlyIsDown() throws Exception {
		try (PostgresTestServer server = PostgresTestServer.start();
				Connection admin = DriverManager.getConnection(server.url());
				Statement statement = admin.createStatement()) {
			postgres(server).run((context) -> {
				LockInspector locks = context.getBean(LockInspector.class);
				LockEngineHealthIndicator indicator = indicator(locks, "jdbc");
				assertThat(next(indicator).getStatus()).isEqualTo(Status.UP);
				statement.execute("ALTER SYSTEM SET default_transaction_read_only = on");
				statement.execute("SELECT pg_reload_conf()");
				// Not all sessions know it at the same moment
				Awaitility.await().untilAsserted(() -> {
					Health health = next(indicator);
					assertThat(health.getStatus()).isEqualTo(Status.DOWN);
					assertThat(health.getDetails().get("error").toString()).contains("read-only");
					assertThat(locks.isUp("jdbc")).isFalse();
				});
			});
		}
	}

	private static void stop(RedisTestServer server) {
		server.close();
	}

	private static ApplicationContextRunner redis(RedisTestServer server) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
					LeaseholdRedisAutoConfiguration.class, DataRedisAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + server.port());
	}

	private static ApplicationContextRunner postgres(PostgresTestServer server) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
					LeaseholdJdbcAutoConfiguration.class, DataSourceAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + server.url(), "leasehold.jdbc.initialize-schema=always",
					"leasehold.jdbc.call-timeout=10s");
	}

	private LockEngineHealthIndicator indicator(LockInspector locks, String engine) {
		return new LockEngineHealthIndicator(locks, engine, this.now::get);
	}

	/**
	 * What still had to be released in the background may break the connection once more.
	 */
	private void awaitUp(LockEngineHealthIndicator indicator) {
		Awaitility.await().until(() -> next(indicator).getStatus().equals(Status.UP));
	}

	/** Ask again when the last response is no longer kept. */
	private Health next(LockEngineHealthIndicator indicator) {
		this.now.addAndGet(Duration.ofSeconds(6).toNanos());
		return indicator.health();
	}

}
