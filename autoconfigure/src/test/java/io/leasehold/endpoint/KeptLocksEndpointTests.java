package io.leasehold.endpoint;

import java.lang.management.ManagementFactory;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.management.ObjectName;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.server.LocalHttp;
import io.leasehold.test.contract.DelegatingEngine;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Operators see the last run of a job, pause it and let it run again, over HTTP and JMX.
 */
@ExtendWith(OutputCaptureExtension.class)
class KeptLocksEndpointTests {

	private static final JsonMapper JSON = new JsonMapper();

	private static final Duration PERIOD = Duration.ofHours(1);

	private static ConfigurableApplicationContext context;

	private static DistributedLocks locks;

	private static LocalLockEngine store;

	@BeforeAll
	static void start() {
		context = new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "spring.application.name=shop", "leasehold.engine=local",
					"spring.jmx.enabled=true", "management.endpoints.web.exposure.include=locks",
					"management.endpoints.jmx.exposure.include=locks", "management.endpoint.locks.access=unrestricted",
					"spring.flyway.enabled=false", "spring.liquibase.enabled=false")
			.run();
		locks = context.getBean(DistributedLocks.class);
		store = context.getBean(LocalLockEngine.class);
	}

	@AfterAll
	static void stop() {
		context.close();
	}

	@AfterEach
	void repair() {
		store.faults().setDown(false);
		store.faults().setLoseReplies(false);
	}

	@Test
	void lastRunOfAJobIsShown() throws Exception {
		assertThat(kept("last").isNull()).as("free").isTrue();
		HeldLock run = locks.acquire("last", job());
		assertThat(kept("last").isNull()).as("held").isTrue();
		run.close();
		JsonNode kept = kept("last");
		assertThat(kept.path("last").path("application").asString()).isEqualTo("shop");
		assertThat(kept.path("last").path("process").asLong()).isEqualTo(ProcessHandle.current().pid());
		assertThat(kept.path("last").path("thread").asString()).isEqualTo(Thread.currentThread().getName());
		assertThat(kept.path("last").path("fencingToken").asString()).isEqualTo(Long.toString(run.fencingToken()));
		assertThat(Instant.parse(kept.path("to").asString()))
			.isAfterOrEqualTo(Instant.parse(kept.path("from").asString()));
		assertThat(Duration.parse(kept.path("remaining").asString())).isBetween(Duration.ofMinutes(30), PERIOD);
		assertThat(kept.path("outcome").asString()).isEqualTo("released");
		assertThat(kept.path("pausedBy").isNull()).isTrue();
		assertThat(get("last").path("holders").isEmpty()).isTrue();
	}

	@Test
	void pausedJobDoesNotRunUntilItIsOpened(CapturedOutput output) throws Exception {
		Jobs jobs = context.getBean(Jobs.class);
		LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
		logging.setLogLevel("io.leasehold.service", LogLevel.DEBUG);
		JsonNode paused = json(post("pause", "nightly", null));
		assertThat(paused.path("kept").path("pausedBy").asString()).isEqualTo("unknown");
		assertThat(Duration.parse(paused.path("kept").path("remaining").asString()).toDays()).isEqualTo(364);
		try {
			jobs.nightly();
		}
		finally {
			logging.setLogLevel("io.leasehold.service", null);
		}
		assertThat(jobs.runs()).isEmpty();
		assertThat(output)
			.contains("Pause of lock 'nightly' was requested by 'unknown': paused, until it is opened (engine: local)")
			.containsPattern("Lock 'nightly' could not be acquired.*It is paused by 'unknown' since .*Z, for another");
		assertThat(lastAudit("LOCK_PAUSE").getData()).containsEntry("key", "nightly")
			.containsEntry("outcome", "paused");
		assertThat(json(post("open", "nightly", null)).path("kept").isNull()).isTrue();
		assertThat(lastAudit("LOCK_OPEN").getData()).containsEntry("outcome", "opened")
			.hasEntrySatisfying("detail", (detail) -> assertThat(detail.toString()).startsWith("paused by 'unknown'"));
		jobs.nightly();
		assertThat(jobs.runs()).hasSize(1);
		jobs.nightly();
		assertThat(jobs.runs()).as("inside its period").hasSize(1);
		json(post("open", "nightly", null));
		jobs.nightly();
		assertThat(jobs.runs()).as("run again").hasSize(2);
		json(post("open", "nightly", null));
		json(post("open", "nightly", null));
		assertThat(lastAudit("LOCK_OPEN").getData()).containsEntry("outcome", "nothing to open");
	}

	@Test
	void pauseReplacesTheRestOfThePeriodAndAnEarlierPause() throws Exception {
		locks.acquire("replaced", job()).close();
		assertThat(remaining(post("pause", "replaced", "3h"))).isBetween(Duration.ofMinutes(170), Duration.ofHours(3));
		assertThat(lastAudit("LOCK_PAUSE").getData().get("detail")).asString()
			.startsWith("for PT3H; before, it was between two runs for another PT")
			.contains("last held by shop@", "thread " + Thread.currentThread().getName());
		assertThat(remaining(post("pause", "replaced", "PT20M"))).isBetween(Duration.ofMinutes(10),
				Duration.ofMinutes(20));
		assertThat(lastAudit("LOCK_PAUSE").getData()).hasEntrySatisfying("detail",
				(detail) -> assertThat(detail.toString()).startsWith("for PT20M; before, it was paused by 'unknown'"));
		json(post("open", "replaced", null));
		json(post("pause", "replaced", "1m"));
		assertThat(lastAudit("LOCK_PAUSE").getData()).containsEntry("detail", "for PT1M");
	}

	/** Otherwise the pause would start the job, inside its period or inside a pause. */
	@Test
	void pauseStartsNoRunOfACallerThatWaits() throws Exception {
		locks.acquire("awaited", job()).close();
		CompletableFuture<HeldLock> waiting = CompletableFuture
			.supplyAsync(() -> locks.acquire("awaited", job().toBuilder().waitTime(Duration.ofMinutes(5)).build()));
		Awaitility.await().until(() -> get("awaited").path("here").path("waiting").size() == 1);
		for (String time : List.of("2h", "30m")) {
			assertThat(json(post("pause", "awaited", time)).path("kept").path("pausedBy").asString())
				.isEqualTo("unknown");
			assertThat(lastAudit("LOCK_PAUSE").getData()).containsEntry("outcome", "paused");
			assertThat(get("awaited").path("here").path("waiting").size()).isOne();
		}
		assertThat(waiting).isNotDone();
		json(post("open", "awaited", null));
		waiting.join().close();
	}

	@Test
	void forcedReleaseEndsNoPause() throws Exception {
		json(post("pause", "forced", null));
		assertThat(json(send("DELETE", "local" + query("forced"), null)).isEmpty()).isTrue();
		assertThat(lastAudit("LOCK_FORCED_RELEASE").getData()).containsEntry("outcome", "not held");
		assertThat(kept("forced").path("pausedBy").asString()).isEqualTo("unknown");
	}

	@Test
	void pauseOfALimitedTimeEnds() throws Exception {
		json(post("pause", "brief", "50ms"));
		Awaitility.await().until(() -> kept("brief").isNull());
		locks.acquire("brief", job()).close();
	}

	@Test
	void heldKeyIsNeitherPausedNorOpened() throws Exception {
		HeldLock run = locks.acquire("held", job());
		for (String action : List.of("pause", "open")) {
			HttpResponse<String> refused = post(action, "held", null);
			assertThat(refused.statusCode()).isEqualTo(409);
			assertThat(JSON.readTree(refused.body()).path("error").asString())
				.startsWith("Lock 'held' was not %s, because it is held"
					.formatted(action.equals("open") ? "opened" : "paused"))
				.contains("It is held by shop@")
				.contains("thread " + Thread.currentThread().getName());
			AuditEvent audit = lastAudit("LOCK_" + action.toUpperCase(Locale.ROOT));
			assertThat(audit.getData()).containsEntry("outcome", "held").containsKey("detail");
		}
		assertThat(run.isValid()).isTrue();
		run.close();
		assertThat(kept("held").path("pausedBy").isNull()).isTrue();
	}

	/** The holder never releases the key: its process is gone. */
	@Test
	void jobThatCrashedInsideItsPeriodIsOpenedAndRunsAgain() throws Exception {
		store.tryAcquire(new Claim(new LockKey("crashed"), Member.of("dead").newOwner("worker"), Duration.ofMillis(50),
				PERIOD, false, System.nanoTime()));
		Awaitility.await().until(() -> !kept("crashed").isNull());
		JsonNode kept = kept("crashed");
		assertThat(kept.path("last").path("application").asString()).isEqualTo("dead");
		assertThat(kept.path("outcome").asString()).isEqualTo("lease ended");
		assertThat(kept.path("to").isNull()).isTrue();
		LockOptions hasty = job().toBuilder().waitTime(Duration.ofMillis(5)).build();
		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> locks.acquire("crashed", hasty));
		assertThat(context.getBean(LockInspector.class).kept("", new LockKey("crashed"))).asString()
			.startsWith("between two runs for another ")
			.contains("last held by dead@")
			.endsWith("its lease ended without a release");
		json(post("open", "crashed", null));
		locks.acquire("crashed", job()).close();
		assertThat(kept("crashed").path("outcome").asString()).isEqualTo("released");
	}

	@Test
	void wrongRequestsAreRefusedWithTheReason() throws Exception {
		assertRefused(post("stop", "a", null), "There is no action 'stop', only [open, pause]");
		assertRefused(post("pause", " ", null), "A lock key must not be blank");
		assertRefused(post("pause", "a", "soon"), "'soon' is not a valid duration");
		assertRefused(post("pause", "a", "9223372036854775807h"),
				"'9223372036854775807h' is not a valid simple duration");
		assertRefused(post("pause", "a", "60"),
				"'60' is a number without a unit. Write a duration such as 30s, 2h or PT1M");
		assertRefused(post("pause", "a", "0s"),
				"Lock 'a' cannot be paused for PT0S: engine 'local' accepts 1 ms to PT8760H");
		assertRefused(post("pause", "a", "366d"),
				"Lock 'a' cannot be paused for PT8784H: engine 'local' accepts 1 ms to PT8760H");
		assertRefused(post("pause", "a", "PT2562047788015215H"),
				"Lock 'a' cannot be paused for PT2562047788015215H: engine 'local' accepts 1 ms to PT8760H");
		assertRefused(post("local/pause", "{}"), "The parameter 'key' is missing");
		assertRefused(post("redis/pause", "{\"key\":\"a\"}"),
				"There is no lock engine 'redis', only [broken, local, plain]");
		assertThat(kept("a").isNull()).isTrue();
	}

	@Test
	void engineThatDoesNotShowMinimumHoldsIsNamed() throws Exception {
		for (String action : List.of("pause", "open")) {
			assertRefused(post("plain/" + action, "{\"key\":\"a\"}"),
					"Engine 'plain' can neither pause nor open a lock: its store does not show minimum holds");
		}
		assertThat(json(send("GET", "plain" + query("a"), null)).path("kept").isNull()).isTrue();
	}

	@Test
	void actionWithoutAResponseIsAudited() throws Exception {
		store.faults().setDown(true);
		assertThat(post("open", "down", null).statusCode()).isEqualTo(500);
		assertThat(lastAudit("LOCK_OPEN").getData()).containsEntry("outcome", "unknown");
		assertThat(post("pause", "down", null).statusCode()).isEqualTo(500);
		assertThat(lastAudit("LOCK_PAUSE").getData()).containsEntry("outcome", "unknown");
		assertThat(get("down").path("failure").asString()).contains("down");
	}

	/** It may have opened the key. */
	@Test
	void actionThatFailsUnexpectedlyIsAudited() throws Exception {
		assertThat(post("broken/open", "{\"key\":\"a\"}").statusCode()).isEqualTo(500);
		assertThat(lastAudit("LOCK_OPEN").getData()).containsEntry("engine", "broken")
			.containsEntry("outcome", "unknown")
			.containsEntry("detail", "cannot be parsed");
	}

	@Test
	void managementBeanDoesTheSame() throws Exception {
		ObjectName name = new ObjectName("org.springframework.boot:type=Endpoint,name=Locks");
		String[] signature = { String.class.getName(), String.class.getName(), String.class.getName(),
				String.class.getName() };
		assertThat(ManagementFactory.getPlatformMBeanServer()
			.invoke(name, "change", new Object[] { "local", "pause", "jmx", "1h" }, signature)
			.toString()).contains("pausedBy=unknown");
	}

	private static LockOptions job() {
		return locks.defaults().toBuilder().minHold(PERIOD).build();
	}

	private static AuditEvent lastAudit(String type) {
		return context.getBean(Audit.class).events.stream()
			.filter((event) -> event.getType().equals(type))
			.reduce((first, second) -> second)
			.orElseThrow();
	}

	private static Duration remaining(HttpResponse<String> response) {
		return Duration.parse(json(response).path("kept").path("remaining").asString());
	}

	private static JsonNode kept(String key) throws Exception {
		return get(key).path("kept");
	}

	private static JsonNode get(String key) throws Exception {
		return json(send("GET", "local" + query(key), null));
	}

	private static HttpResponse<String> post(String action, String key, @Nullable String duration) throws Exception {
		Map<String, String> body = (duration != null) ? Map.of("key", key, "duration", duration) : Map.of("key", key);
		return post("local/" + action, JSON.writeValueAsString(body));
	}

	private static HttpResponse<String> post(String path, String body) {
		return send("POST", path, body);
	}

	private static HttpResponse<String> send(String method, String path, @Nullable String body) {
		int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		return LocalHttp.send(method, port, "/actuator/locks/" + path, body);
	}

	private static String query(String key) {
		return "?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8);
	}

	private static void assertRefused(HttpResponse<String> response, String reason) {
		assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
		assertThat(JSON.readTree(response.body()).path("error").asString()).isEqualTo(reason);
	}

	private static JsonNode json(HttpResponse<String> response) {
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return JSON.readTree(response.body());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Audit.class, Jobs.class })
	static class Application {

		@Bean
		LockEngine plainEngine() {
			return new Plain();
		}

		@Bean
		LockEngine brokenEngine() {
			return new Broken();
		}

	}

	/** An engine whose store does not show minimum holds. */
	static final class Plain extends DelegatingEngine {

		Plain() {
			super(new LocalLockEngine(MonotonicClock.SYSTEM));
		}

		@Override
		public String name() {
			return "plain";
		}

		@Override
		public @Nullable KeptKeys keptKeys() {
			return null;
		}

	}

	/** An engine that does not understand its store's response. */
	static final class Broken extends DelegatingEngine {

		Broken() {
			super(new LocalLockEngine(MonotonicClock.SYSTEM));
		}

		@Override
		public String name() {
			return "broken";
		}

		@Override
		public @Nullable KeptKeys keptKeys() {
			throw new IllegalStateException("cannot be parsed");
		}

	}

	static class Jobs {

		private final List<Instant> runs = new CopyOnWriteArrayList<>();

		List<Instant> runs() {
			return this.runs;
		}

		@DistributedLock(key = "'nightly'", waitTime = "0s", whenBusy = WhenBusy.SKIP, minHold = "20h")
		public void nightly() {
			this.runs.add(Instant.now());
		}

	}

	static class Audit implements ApplicationListener<AuditApplicationEvent> {

		private final List<AuditEvent> events = new CopyOnWriteArrayList<>();

		@Override
		public void onApplicationEvent(AuditApplicationEvent event) {
			this.events.add(event.getAuditEvent());
		}

	}

}
