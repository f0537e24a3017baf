package io.leasehold.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockException;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.leadership.Leadership;
import io.leasehold.leadership.Leaderships;
import io.leasehold.server.PrometheusTestServer;
import io.leasehold.server.RedisTestServer;
import io.micrometer.core.instrument.MockClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A real Prometheus scrapes an application, runs the queries of the dashboard, and raises
 * the alerts. {@code -Dboard.write} writes the picture of the dashboard anew.
 */
@Tag("full")
class PrometheusIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Duration SECOND = Duration.ofSeconds(1);

	/** Long enough that a busy machine renews it in time. */
	private static final Duration LEASE = Duration.ofSeconds(30);

	/** The alerts that are pending or firing, or were. */
	private static final String RAISED = "count by (alertname) (count_over_time(ALERTS[1h]))";

	private static final String SLOW = "LockStoreSlow";

	private final RedisTestServer redis = RedisTestServer.start();

	private final ConfigurableApplicationContext context = start(this.redis.port());

	private final Leadership leadership = this.context.getBean(Leaderships.class).of("billing");

	private final DistributedLocks locks = this.context.getBean(DistributedLocks.class);

	private final PrometheusTestServer prometheus = observer();

	private final ScheduledExecutorService load = Executors.newScheduledThreadPool(3);

	private final Set<String> raised = new TreeSet<>();

	private volatile boolean paused;

	@AfterEach
	void stop() {
		this.load.shutdownNow();
		this.prometheus.close();
		this.context.close();
		this.redis.close();
	}

	/**
	 * How long a fault lasts until its alert fires is left to
	 * {@link PrometheusRulesIntegrationTests}.
	 */
	@Test
	void everyQueryFindsDataAndEachAlertIsRaisedByItsFaultAlone() throws IOException {
		acquire("report", "Reports.nightly", LEASE).close();
		for (int i = 0; i < 3; i++) {
			this.load.scheduleWithFixedDelay(this::pay, 0, 20, TimeUnit.MILLISECONDS);
		}
		awaitData(Dashboard.queries().filter((query) -> !query.contains("leasehold_refused")));
		Instant begin = Instant.now();
		assertRaised();

		try (HeldLock held = acquire("order:2", "pay", LEASE)) {
			List<CompletableFuture<HeldLock>> callers = Stream.concat(callers(50, PATIENCE), callers(600, SECOND))
				.toList();
			assertRaised("LockQueueGrows", "LockTimeouts");
			callers.forEach((caller) -> caller.cancel(true));
			held.throwIfLost();
		}

		this.context.getBean(MockClock.class).add(Duration.ofHours(26));
		assertRaised("JobDoesNotRun");

		this.leadership.stepDown(Duration.ofHours(1));
		assertRaised("NoLeader");

		HeldLock released = acquire("order:3", "pay", LEASE);
		this.context.getBean(LockInspector.class).forceRelease("", new LockKey("order:3"));
		assertRaised("LockLost");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(released::close);

		slowStoreIsNoticed();

		HeldLock expired = acquire("order:4", "pay", Duration.ofSeconds(6));
		this.redis.becomeReplica();
		assertRaised("LockEngineDown", "LocksUnavailable", "LockRenewalsFail", "LockRenewalLate");
		await("loss").atMost(PATIENCE).until(() -> !expired.isValid());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(expired::close);
		awaitData(Dashboard.queries());

		assertThat(this.prometheus.get("alerts").path("alerts").values()).isNotEmpty()
			.extracting((alert) -> alert.path("annotations").path("summary").asString())
			.noneMatch((summary) -> summary.isEmpty() || summary.contains("<"));

		String picture = DashboardPicture.draw(this.prometheus, begin, Instant.now());
		assertThat(picture).contains(Dashboard.PANELS.stream().map(Dashboard.Panel::title).toList());
		if (System.getProperty("board.write") != null) {
			Files.writeString(Manual.file("docs/images/dashboard.svg"), picture);
		}
	}

	/** A busy machine may be slow enough before, so the alert counts only here. */
	private void slowStoreIsNoticed() {
		this.paused = true; // the load would find the store unavailable
		try (HeldLock renewed = acquire("order:5", "pay", LEASE.dividedBy(2))) {
			await(SLOW).atMost(PATIENCE).until(() -> {
				this.redis.pause(Duration.ofMillis(1500));
				return raised().anyMatch(SLOW::equals);
			});
			renewed.throwIfLost();
		}
		assertRaised();
		this.paused = false;
	}

	/** A Prometheus that sees the application with its leader only. */
	private PrometheusTestServer observer() {
		await("leader").atMost(PATIENCE).until(this.leadership::isLeader);
		return PrometheusTestServer.start("shop",
				this.context.getEnvironment().getRequiredProperty("local.server.port", Integer.class),
				Manual.file("docs/operations/alerts.yml"));
	}

	/** Assert that each query returns a number. */
	private void awaitData(Stream<String> queries) {
		List<String> all = queries.toList();
		await("data").atMost(PATIENCE)
			.untilAsserted(() -> assertThat(all).isNotEmpty()
				.allSatisfy((query) -> assertThat(this.prometheus.query(query))
					.map((series) -> series.path("value").path(1).asString())
					.anyMatch((value) -> !value.equals("NaN"))));
	}

	/**
	 * Assert that these alerts are raised, and no others but those of the faults before.
	 */
	private void assertRaised(String... alerts) {
		this.raised.addAll(List.of(alerts));
		Instant since = Instant.now();
		await("evaluation").atMost(PATIENCE).until(() -> evaluated().isAfter(since));
		await("alerts").atMost(PATIENCE)
			.untilAsserted(() -> assertThat(raised().filter((alert) -> !alert.equals(SLOW)))
				.containsExactlyInAnyOrderElementsOf(this.raised));
	}

	private Stream<String> raised() {
		return this.prometheus.query(RAISED)
			.values()
			.stream()
			.map((series) -> series.path("metric").path("alertname").asString());
	}

	private Instant evaluated() {
		JsonNode rules = this.prometheus.get("rules").path("groups").path(0);
		return OffsetDateTime.parse(rules.path("lastEvaluation").asString()).toInstant();
	}

	private void pay() {
		if (this.paused) {
			return;
		}
		try (HeldLock held = this.locks.acquire("order:1", options("pay").waitTime(SECOND).build())) {
			held.throwIfLost();
		}
		catch (LockException ex) {
			// Counted by the meters
		}
	}

	private HeldLock acquire(String key, String name, Duration lease) {
		return this.locks.acquire(key, options(name).lease(lease).waitTime(PATIENCE).build());
	}

	/** Callers that wait for a lock that another caller holds. */
	private Stream<CompletableFuture<HeldLock>> callers(int count, Duration waitTime) {
		LockOptions options = options("pay").waitTime(waitTime).build();
		return IntStream.range(0, count).mapToObj((i) -> this.locks.acquireAsync("order:2", options));
	}

	private LockOptions.Builder options(String name) {
		return this.locks.defaults().toBuilder().name(name);
	}

	private static ConfigurableApplicationContext start(int redis) {
		return new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "leasehold.engine=redis", "leasehold.redis.command-timeout=3s",
					"leasehold.redis.min-validity=3s", "leasehold.redis.poll-interval=2s",
					"leasehold.redis.grant-lease=20s", "leasehold.leadership.roles=billing",
					"spring.data.redis.port=" + redis, "spring.flyway.enabled=false", "spring.liquibase.enabled=false",
					"management.endpoints.web.exposure.include=prometheus")
			.run();
	}

	@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
	@Configuration(proxyBeanMethods = false)
	static class Application {

		/** The time of the meters. */
		@Bean
		MockClock clock() {
			return new MockClock();
		}

	}

}
