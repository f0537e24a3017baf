package io.leasehold.endpoint;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.management.MBeanServer;
import javax.management.ObjectName;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.server.LocalHttp;
import io.leasehold.test.contract.Fault;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link LocksEndpoint} over HTTP and JMX, with Boot around it.
 */
@ExtendWith(OutputCaptureExtension.class)
class LocksEndpointTests {

	private static final JsonMapper JSON = new JsonMapper();

	private static ConfigurableApplicationContext context;

	private static DistributedLocks locks;

	@BeforeAll
	static void start() {
		context = new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "spring.application.name=shop", "leasehold.engine=local",
					"spring.jmx.enabled=true", "management.endpoints.web.exposure.include=locks",
					"management.endpoints.jmx.exposure.include=locks", "management.endpoint.locks.access=unrestricted",
					"spring.flyway.enabled=false", "spring.liquibase.enabled=false")
			.run();
		locks = context.getBean(DistributedLocks.class);
	}

	@AfterAll
	static void stop() {
		context.close();
	}

	@AfterEach
	void repair() {
		context.getBean(LocalLockEngine.class).faults().setDown(false);
	}

	@Test
	void showsWhatIsHeldAndAwaited() throws Exception {
		assertThat(get("").body()).startsWith("{\"held\":[],\"waiting\":[],\"parked\":[],\"acquired\":[");
		CompletableFuture<HeldLock> next;
		try (HeldLock held = locks.acquire("order:42", locks.defaults().toBuilder().name("pay").build())) {
			next = locks.acquireAsync("order:42", locks.defaults().toBuilder().waitTime(Duration.ofMinutes(1)).build());
			Awaitility.await().until(() -> !json(get("")).path("waiting").isEmpty());
			JsonNode shown = json(get(""));
			JsonNode first = shown.path("held").path(0);
			assertThat(shown.path("held").size()).isOne();
			assertThat(first.path("engine").asString()).isEqualTo("local");
			assertThat(first.path("key").asString()).isEqualTo("order:42");
			assertThat(first.path("name").asString()).isEqualTo("pay");
			assertThat(first.path("thread").asString()).isEqualTo(Thread.currentThread().getName());
			assertThat(Instant.parse(first.path("since").asString())).isBetween(Instant.now().minusSeconds(30),
					Instant.now());
			assertThat(Duration.parse(first.path("remaining").asString())).isBetween(Duration.ofSeconds(1),
					Duration.ofSeconds(30));
			assertThat(first.path("fencingToken").asString()).isEqualTo(Long.toString(held.fencingToken()));
			assertThat(first.path("handles").asInt()).isOne();
			assertThat(first.path("waiting").asInt()).isOne();
			JsonNode waiting = shown.path("waiting").path(0);
			assertThat(waiting.path("key").asString()).isEqualTo("order:42");
			assertThat(waiting.hasNonNull("thread")).isFalse();
		}
		next.join().close();
		JsonNode acquired = named("pay", json(get("")).path("acquired"));
		assertThat(acquired.path("engine").asString()).isEqualTo("local");
		assertThat(Duration.parse(acquired.path("age").asString())).isBetween(Duration.ZERO, Duration.ofMinutes(1));
	}

	@Test
	void showsWhichKeysAreContended() throws Exception {
		LockOptions pay = locks.defaults().toBuilder().name("contended").build();
		try (HeldLock held = locks.acquire("order:busy", pay)) {
			assertThat(held.isValid()).isTrue();
			LockOptions hasty = pay.toBuilder().waitTime(Duration.ofMillis(20)).build();
			for (int i = 0; i < 2; i++) {
				assertThat(locks.acquireAsync("order:busy", hasty)).failsWithin(Duration.ofMinutes(1));
			}
		}
		JsonNode contended = named("contended", json(get("")).path("contended"));
		assertThat(contended.path("engine").asString()).isEqualTo("local");
		assertThat(contended.path("key").asString()).isEqualTo("order:busy");
		assertThat(contended.path("waits").asInt()).isEqualTo(2);
		assertThat(contended.path("overcount").asInt()).isZero();
		Duration longest = Duration.parse(contended.path("longest").asString());
		assertThat(longest).isGreaterThanOrEqualTo(Duration.ofMillis(20));
		assertThat(Duration.parse(contended.path("total").asString())).isGreaterThanOrEqualTo(longest.plusMillis(20));
		JsonNode here = json(get("/local" + query("order:busy"))).path("here");
		assertThat(here.path("contended").valueStream()).containsExactly(contended);
		assertThat(here.path("acquired").valueStream()).extracting((call) -> call.path("name").asString())
			.containsExactly("contended");
	}

	private static JsonNode named(String name, JsonNode list) {
		return list.valueStream()
			.filter((entry) -> entry.path("name").asString().equals(name))
			.findFirst()
			.orElseThrow();
	}

	@ParameterizedTest
	@ValueSource(strings = { "order:42", "a/b", "a//b", "/", "..", "%", "%2F", "a b", "+", "\u00e4\ud83c\udf63",
			"?x=y&key=z" })
	void showsWhoHoldsAKeyWhateverItsCharacters(String key) throws Exception {
		assertThat(json(get("/local" + query(key))).path("holders").isEmpty()).isTrue();
		try (HeldLock held = locks.acquire(key)) {
			JsonNode shown = json(get("/local" + query(key)));
			assertThat(shown.path("key").asString()).isEqualTo(key);
			JsonNode holder = shown.path("holders").path(0);
			assertThat(holder.path("application").asString()).isEqualTo("shop");
			assertThat(holder.path("process").asLong()).isEqualTo(ProcessHandle.current().pid());
			assertThat(holder.path("fencingToken").asString()).isEqualTo(Long.toString(held.fencingToken()));
			assertThat(shown.path("here").path("held").path(0).path("key").asString()).isEqualTo(key);
		}
	}

	@Test
	void neverShowsTheOwnersToken() throws Exception {
		try (HeldLock held = locks.acquire("order:42")) {
			assertThat(held.isValid()).isTrue();
			assertThat(get("").body() + get("/local" + query("order:42")).body()).contains("order:42")
				.doesNotContainPattern("[:/][0-9a-f]{16}");
		}
	}

	@Test
	void refusesWhatIsNoKeyAndNoEngine() throws Exception {
		assertRefused(delete("/local"), "The parameter 'key' is missing");
		for (HttpResponse<String> blank : List.of(get("/local" + query(" ")), delete("/local" + query(" ")))) {
			assertRefused(blank, "A lock key must not be blank");
		}
		assertRefused(get("/local" + query("x".repeat(513))),
				"Lock key '" + "x".repeat(40) + "...' has 513 bytes in UTF-8, at most 512 are allowed");
		for (HttpResponse<String> unknown : List.of(get("/redis" + query("a")), delete("/redis" + query("a")))) {
			assertRefused(unknown, "There is no lock engine 'redis', only [local]");
		}
	}

	@Test
	void showsTheLocksOfAllProcessesPageByPage() throws Exception {
		List<HeldLock> held = Stream.of("page:a", "page:b&c", "page:d", "pages").map(locks::acquire).toList();
		JsonNode first = json(get("/local?prefix=page:&limit=2"));
		assertThat(first.path("engine").asString()).isEqualTo("local");
		assertThat(first.path("failure").isNull()).isTrue();
		assertThat(keys(first)).containsExactly("page:a", "page:b&c");
		JsonNode holder = first.path("held").path(0).path("holders").path(0);
		assertThat(holder.path("application").asString()).isEqualTo("shop");
		assertThat(holder.path("fencingToken").asString()).isEqualTo(Long.toString(held.get(0).fencingToken()));
		assertThat(first.toString()).doesNotContainPattern("[:/][0-9a-f]{16}");
		String next = URLEncoder.encode(first.path("next").asString(), StandardCharsets.UTF_8);
		JsonNode last = json(get("/local?prefix=page:&limit=2&after=" + next));
		assertThat(keys(last)).containsExactly("page:d");
		assertThat(last.path("next").isNull()).isTrue();
		assertThat(keys(json(get("/local?prefix=page:&limit=2&after=")))).as("empty position").isEqualTo(keys(first));
		assertThat(keys(json(get("/local")))).contains("page:a", "pages");
		held.forEach(HeldLock::close);
		assertThat(keys(json(get("/local?prefix=page")))).isEmpty();
	}

	@Test
	void showsAHundredLocksUnlessALimitIsGiven() throws Exception {
		List<HeldLock> held = IntStream.range(0, 120).mapToObj((i) -> locks.acquire("many:" + i)).toList();
		assertThat(keys(json(get("/local?prefix=many:")))).hasSize(100);
		assertThat(keys(json(get("/local?prefix=many:&limit=500")))).hasSize(120);
		held.forEach(HeldLock::close);
	}

	private static List<String> keys(JsonNode page) {
		return page.path("held").valueStream().map((entry) -> entry.path("key").asString()).toList();
	}

	@Test
	void refusesPagesThatItCannotShow() throws Exception {
		for (String limit : List.of("0", "501", "-1")) {
			assertRefused(get("/local?limit=" + limit), "The limit must be from 1 to 500");
		}
		assertThat(get("/local?limit=many").statusCode()).isEqualTo(400);
		assertRefused(get("/nowhere"), "There is no lock engine 'nowhere', only [local]");
	}

	/** Two other processes use the same store. */
	@Test
	void showsDeadlocksBetweenProcesses() throws Exception {
		LocalLockEngine store = context.getBean(LocalLockEngine.class);
		Member bank = Member.of("bank");
		Member depot = Member.of("depot");
		List<Claim> claims = new ArrayList<>(
				List.of(claim(bank, "payer", "order:1", false), claim(depot, "packer", "stock:1", false)));
		claims.forEach((claim) -> assertThat(store.tryAcquire(claim)).isInstanceOf(Granted.class));
		assertThat(get("/local/deadlocks").body())
			.isEqualTo("{\"engine\":\"local\",\"deadlocks\":[],\"complete\":true,\"failure\":null}");
		claims.add(claim(bank, "payer", "stock:1", true));
		claims.add(claim(depot, "packer", "order:1", true));
		claims.subList(2, 4).forEach((claim) -> assertThat(store.tryAcquire(claim)).isInstanceOf(Busy.class));
		JsonNode shown = json(get("/local/deadlocks"));
		assertThat(shown.path("deadlocks").size()).isOne();
		assertThat(shown.path("deadlocks").path(0).valueStream())
			.extracting((wait) -> wait.path("application").asString(), (wait) -> wait.path("thread").asString(),
					(wait) -> wait.path("key").asString())
			.containsExactlyInAnyOrder(tuple("bank", "payer", "stock:1"), tuple("depot", "packer", "order:1"));
		store.faults().setDown(true);
		shown = json(get("/local/deadlocks"));
		assertThat(shown.path("failure").asString()).isEqualTo("The held locks are unknown: the store is down");
		assertThat(shown.path("complete").asBoolean()).isFalse();
		store.faults().setDown(false);
		claims.forEach(store::release);
		assertRefused(get("/local/waits"), "There is no view 'waits', only [deadlocks]");
		assertRefused(get("/nowhere/deadlocks"), "There is no lock engine 'nowhere', only [local]");
	}

	private static Claim claim(Member member, String thread, String key, boolean waits) {
		return new Claim(new LockKey(key), member.newOwner(thread), Duration.ofMinutes(1), Duration.ZERO, waits,
				System.nanoTime());
	}

	private static void assertRefused(HttpResponse<String> response, String reason) {
		assertThat(response.statusCode()).isEqualTo(400);
		assertThat(JSON.readTree(response.body()).path("error").asString()).isEqualTo(reason);
	}

	@Test
	void tellsWhatItKnowsWhenTheStoreIsDown() throws Exception {
		HeldLock held = locks.acquire("order:42");
		context.getBean(LocalLockEngine.class).faults().setDown(true);
		JsonNode shown = json(get("/local" + query("order:42")));
		assertThat(shown.path("failure").asString()).contains("order:42").contains("down");
		assertThat(shown.path("holders").isEmpty()).isTrue();
		assertThat(shown.path("here").path("held").size()).isOne();
		JsonNode all = json(get("/local"));
		assertThat(all.path("failure").asString()).isEqualTo("The held locks are unknown: the store is down");
		assertThat(json(get("/local?after=order:1")).path("next").asString()).as("to continue").isEqualTo("order:1");
		assertThat(all.path("held").isEmpty()).isTrue();
		context.getBean(LocalLockEngine.class).faults().setDown(false);
		held.close();
	}

	/**
	 * An operator takes a lock away by the actuator: its holder and the audit are
	 * notified.
	 */
	@Fault(95)
	@Test
	void forcedReleaseIsReportedToTheHolderTheLogAndTheAudit(CapturedOutput output) throws Exception {
		HeldLock held = locks.acquire("order:95");
		HttpResponse<String> response = delete("/local" + query("order:95"));
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(json(response).path(0).path("fencingToken").asString())
			.isEqualTo(Long.toString(held.fencingToken()));
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		assertThat(output).contains("Release of lock 'order:95' was forced by 'unknown': released, shop on ");
		assertThat(lastAudit("order:95").getData()).containsEntry("outcome", "released")
			.containsEntry("engine", "local");
		assertThat(delete("/local" + query("order:95")).body()).isEqualTo("[]");
		assertThat(lastAudit("order:95").getData()).containsEntry("outcome", "not held");
	}

	@Test
	void forcedReleaseWithoutAResponseIsAuditedToo() throws Exception {
		context.getBean(LocalLockEngine.class).faults().setDown(true);
		assertThat(delete("/local" + query("order:96")).statusCode()).isEqualTo(500);
		assertThat(lastAudit("order:96").getData()).containsEntry("outcome", "unknown");
	}

	@Test
	void managementBeanDoesTheSame() throws Exception {
		MBeanServer server = ManagementFactory.getPlatformMBeanServer();
		ObjectName name = new ObjectName("org.springframework.boot:type=Endpoint,name=Locks");
		HeldLock held = locks.acquire("order:42");
		assertThat(server.invoke(name, "locks", new Object[0], new String[0]).toString()).contains("order:42");
		String[] signature = { String.class.getName(), String.class.getName() };
		assertThat(server.invoke(name, "lock", new Object[] { "local", "order:42" }, signature).toString())
			.contains("application=shop");
		String[] ofPage = { String.class.getName(), String.class.getName(), String.class.getName(),
				String.class.getName(), Integer.class.getName() };
		assertThat(server.invoke(name, "lock", new Object[] { "local", null, "order:4", null, 500 }, ofPage).toString())
			.contains("order:42", "next=null");
		assertThat(server.invoke(name, "view", new Object[] { "local", "deadlocks" }, signature).toString())
			.contains("complete=true");
		server.invoke(name, "forceRelease", new Object[] { "local", "order:42" }, signature);
		assertThat(held.isValid()).isFalse();
	}

	private static AuditEvent lastAudit(String key) {
		return context.getBean(Audit.class).events.stream()
			.filter((event) -> event.getType().equals("LOCK_FORCED_RELEASE"))
			.filter((event) -> key.equals(event.getData().get("key")))
			.reduce((first, second) -> second)
			.orElseThrow();
	}

	private static String query(String key) {
		return "?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8);
	}

	private static HttpResponse<String> get(String path) {
		return send(path, "GET");
	}

	private static HttpResponse<String> delete(String path) {
		return send(path, "DELETE");
	}

	private static HttpResponse<String> send(String path, String method) {
		int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		return LocalHttp.send(method, port, "/actuator/locks" + path);
	}

	private static JsonNode json(HttpResponse<String> response) {
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return JSON.readTree(response.body());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Audit.class)
	static class Application {

	}

	static class Audit implements ApplicationListener<AuditApplicationEvent> {

		private final List<AuditEvent> events = new CopyOnWriteArrayList<>();

		@Override
		public void onApplicationEvent(AuditApplicationEvent event) {
			this.events.add(event.getAuditEvent());
		}

	}

}
