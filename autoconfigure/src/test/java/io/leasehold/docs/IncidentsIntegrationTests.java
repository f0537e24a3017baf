package io.leasehold.docs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.leasehold.engine.Member;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.RedisTestServer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Stages each incident of the manual, and finds its cause by the first check.
 */
@Tag("full")
@Timeout(600)
class IncidentsIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(100);

	private static final Duration DELAY = Duration.ofMillis(500);

	/** On a busy machine, Redis may respond late. */
	private static final String[] PATIENT = { "--leasehold.redis.command-timeout=10s",
			"--leasehold.redis.min-validity=10s", "--leasehold.redis.poll-interval=6s",
			"--leasehold.redis.grant-lease=20s", "--leasehold.redis.silence-timeout=10s" };

	@TempDir
	private static Path folder;

	private static ShopInstance first;

	private static ShopInstance second;

	/** What only one incident uses. */
	private final List<AutoCloseable> own = new ArrayList<>();

	/** What the examples of the manual stand for. */
	private final Map<String, String> examples = new HashMap<>();

	@BeforeAll
	static void start() throws IOException {
		first = ShopInstance.start(folder, RedisTestServer.shared().port(), PATIENT);
		second = ShopInstance.start(folder, RedisTestServer.shared().port(), PATIENT);
	}

	@AfterAll
	static void stop() {
		Stream.of(first, second).filter(Objects::nonNull).forEach(ShopInstance::close);
	}

	@AfterEach
	void stopOwn() throws Exception {
		for (AutoCloseable resource : this.own) {
			resource.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void firstCheckShowsCause(Incident incident, TestReporter reporter) throws Exception {
		this.examples.put("web-3", Member.of("").id().split("[@:]")[1]);
		ShopInstance asked = stage(incident);
		long begin = System.nanoTime();
		awaitTexts(() -> firstCheck(incident, asked), incident.texts());
		reporter.publishEntry(incident.name(), "score %s after %s ms".formatted(incident.score(),
				Duration.ofNanos(System.nanoTime() - begin).toMillis()));
		String secondText = incident.secondText();
		if (secondText != null) {
			awaitTexts(second::log, List.of(secondText));
			assertThat(firstCheck(incident, asked)).noneMatch(Incident.pattern(real(secondText)).asPredicate());
		}
	}

	/** Return a response, or the lines of the log for which the manual says to search. */
	private static List<String> firstCheck(Incident incident, ShopInstance asked) {
		return incident.isRequest() ? List.of(asked.get(incident.firstCheck()))
				: asked.log().stream().filter(Incident.pattern(incident.firstCheck()).asPredicate()).toList();
	}

	/** Wait until all texts are in one of the lines. */
	private void awaitTexts(Supplier<List<String>> lines, List<String> texts) {
		await("texts").untilAsserted(() -> assertThat(lines.get()).anySatisfy((line) -> assertThat(texts)
			.allSatisfy((text) -> assertThat(line).containsPattern(Incident.pattern(real(text))))));
	}

	/** Replace the examples, in one pass: a real port may contain another example. */
	private String real(String text) {
		return Pattern.compile(String.join("|", this.examples.keySet()))
			.matcher(text)
			.replaceAll((example) -> Matcher.quoteReplacement(this.examples.get(example.group())));
	}

	/** Return the instance that the operator asks. */
	private ShopInstance stage(Incident incident) throws Exception {
		return switch (incident) {
			case HANGING_HOLDER -> hangingHolder();
			case HOT_KEY -> hotKey();
			case DEAD_JOB -> deadJob();
			case LOST_BY_STORE -> lostByStore();
			case LOST_BY_PAUSE -> lostByPause();
			case LOST_BY_OPERATOR -> lostByOperator();
			case SLOW_STORE -> slowStore();
			case SILENT_STORE -> silentStore();
			case DEAD_STORE -> deadStore();
			case DEADLOCK -> deadlock();
			case DEADLOCK_OF_TWO -> deadlockOfTwo();
			case DEAD_HOLDER -> deadHolder();
			case SHUTDOWN -> shutdown();
		};
	}

	private ShopInstance hangingHolder() {
		holder(first).run("pay payer order:41");
		await("failed request").until(() -> {
			second.begin("pay buyer order:41");
			return !second.isRun("pay buyer order:41");
		});
		return second;
	}

	/** Eight callers wait for the key until its holder continues. */
	private ShopInstance hotKey() {
		first.run("move mover stock:7");
		for (int i = 0; i < 8; i++) {
			String call = "move mover-%s stock:7".formatted(i);
			first.begin(call);
			first.proceed(call);
		}
		awaitResponse(first, "/actuator/locks", "\"key\":\"stock:7\",.*\"waiting\":8}");
		first.proceed("move mover stock:7");
		return first;
	}

	private ShopInstance deadJob() throws Exception {
		ShopInstance job = holder(startOwn("--leasehold.lease=6s"));
		job.run("report reporter");
		first.begin("report reporter");
		awaitResponse(first, "/actuator/locks", "nightly-report");
		job.process().kill();
		return first;
	}

	private ShopInstance lostByStore() throws Exception {
		RedisTestServer store = own(RedisTestServer.start());
		ShopInstance loser = own(ShopInstance.start(folder, store.port()));
		loser.run("pay payer order:43");
		store.restartEmpty();
		return loser;
	}

	private ShopInstance lostByPause() throws Exception {
		ShopInstance paused = startOwn("--leasehold.lease=6s");
		paused.run("pay payer order:44");
		paused.process().freeze();
		awaitResponse(first, "/actuator/locks/redis?key=order:44", "\"holders\":\\[],\"kept\":null,\"failure\":null");
		paused.process().wake();
		return paused;
	}

	/** A process that has waited for a lock is notified at once. */
	private ShopInstance lostByOperator() {
		second.run("move mover stock:45");
		first.begin("move mover stock:45");
		awaitResponse(first, "/actuator/locks", "\"waiting\":\\[.*\"key\":\"stock:45\"");
		first.run("pay payer order:45");
		second.send("DELETE", "/actuator/locks/redis?key=order:45");
		return first;
	}

	private ShopInstance slowStore() throws Exception {
		FaultProxy network = own(FaultProxy.to(RedisTestServer.shared().port()));
		ShopInstance instance = own(ShopInstance.start(folder, network.port(), PATIENT));
		this.examples.put("6379", "" + network.port());
		instance.run("pay payer order:1");
		network.replies().delay(DELAY);
		double latency = new JsonMapper().readTree(instance.get("/actuator/health/locks"))
			.path("components")
			.path("redis")
			.path("details")
			.path("latencyMs")
			.asDouble();
		assertThat(latency).as("of two requests").isGreaterThan(2.0 * DELAY.toMillis());
		return instance;
	}

	private ShopInstance silentStore() throws Exception {
		FaultProxy network = own(FaultProxy.to(RedisTestServer.shared().port()));
		ShopInstance instance = own(ShopInstance.start(folder, network.port()));
		this.examples.put("6379", "" + network.port());
		instance.run("pay payer order:2");
		network.replies().delay(Duration.ofMinutes(1));
		return instance;
	}

	private ShopInstance deadStore() throws Exception {
		RedisTestServer store = own(RedisTestServer.start());
		ShopInstance instance = own(ShopInstance.start(folder, store.port()));
		this.examples.put("6379", "" + store.port());
		instance.run("pay payer order:3");
		store.close();
		return instance;
	}

	private ShopInstance deadlock() {
		first.run("move payer order:46 stock:46");
		first.run("move packer stock:46 order:46");
		first.proceed("move payer order:46 stock:46");
		awaitResponse(first, "/actuator/locks", "\"waiting\":\\[.*\"key\":\"stock:46\",.*\"thread\":\"payer\"");
		first.proceed("move packer stock:46 order:46");
		return first;
	}

	private ShopInstance deadlockOfTwo() {
		this.examples.put("4711", second.pid());
		holder(first).run("move payer order:47 stock:47");
		second.run("move packer stock:47 order:47");
		first.proceed("move payer order:47 stock:47");
		second.proceed("move packer stock:47 order:47");
		return first;
	}

	/** The lease leaves 80 seconds in which a check shows the missed renewal. */
	private ShopInstance deadHolder() throws Exception {
		Duration lease = Duration.ofMinutes(2);
		ShopInstance killed = holder(startOwn("--leasehold.lease=" + lease));
		killed.run("pay payer order:42");
		killed.process().kill();
		await("missed renewal").untilAsserted(() -> {
			String remaining = new JsonMapper().readTree(first.get("/actuator/locks/redis?key=order:42"))
				.path("holders")
				.path(0)
				.path("remaining")
				.asString();
			assertThat(Duration.parse(remaining)).isLessThan(lease.multipliedBy(2).dividedBy(3));
		});
		return first;
	}

	private ShopInstance shutdown() throws Exception {
		ShopInstance stopping = startOwn("--spring.lifecycle.timeout-per-shutdown-phase=1h");
		stopping.run("pay payer order:48");
		stopping.terminate();
		return stopping;
	}

	private ShopInstance holder(ShopInstance instance) {
		this.examples.put("5215", instance.pid());
		return instance;
	}

	private ShopInstance startOwn(String... properties) throws IOException {
		return own(ShopInstance.start(folder, RedisTestServer.shared().port(), properties));
	}

	private <T extends AutoCloseable> T own(T resource) {
		this.own.add(resource);
		return resource;
	}

	private static void awaitResponse(ShopInstance instance, String path, String pattern) {
		await(pattern).untilAsserted(() -> assertThat(instance.get(path)).containsPattern(pattern));
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(PATIENCE);
	}

}
