package io.leasehold.docs;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.leasehold.LockDeadlocks;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.endpoint.DeadlocksDescriptor;
import io.leasehold.endpoint.HeldDescriptor;
import io.leasehold.endpoint.LockDescriptor;
import io.leasehold.endpoint.LocksDescriptor;
import io.leasehold.endpoint.RoleDescriptor;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.ApplicationEvents;
import io.leasehold.event.HandoffKind;
import io.leasehold.event.LockEvent;
import io.leasehold.event.RenewalResult;
import io.leasehold.leadership.Candidate;
import io.leasehold.leadership.Leaderships;
import io.leasehold.metrics.DroppedEventMetrics;
import io.leasehold.metrics.LeadershipMetrics;
import io.leasehold.metrics.LockMetrics;
import io.leasehold.metrics.EngineStateMetrics;
import io.leasehold.observation.DefaultAcquireObservationConvention;
import io.leasehold.observation.DefaultHoldObservationConvention;
import io.leasehold.observation.LockObservationDocumentation;
import io.leasehold.service.LockService;
import io.leasehold.service.OnLost;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.ServiceSettings;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page describes every meter, observation and event that there is. Its queries, and
 * the responses on the page of the endpoints, are those of the code.
 */
class ObservabilityPageTests {

	private static final Pattern SERIES = Pattern.compile("\\bleasehold_\\w+");

	/** Labels whose values are those of the code. */
	private static final Pattern LABELS = Pattern.compile("(outcome|cause|le)[!=]=?~?\"([^\"]*)\"");

	private final Page page = Manual.page("docs/observability.md");

	private final PrometheusMeterRegistry registry = registry();

	@Test
	void everyMeterHasItsRowWithUnitAndTags() {
		Map<String, Meter.Id> meters = this.registry.getMeters()
			.stream()
			.map(Meter::getId)
			.collect(Collectors.toMap(Meter.Id::getName, (id) -> id, (one, other) -> one));
		assertThat(meters).hasSizeGreaterThanOrEqualTo(8);
		assertThat(meters).allSatisfy((name, id) -> assertThat(row(name)).contains("| " + kind(id))
			.contains(id.getTags().stream().map(Tag::getKey).map("`%s`"::formatted).toList()));
		assertThat(rowsOf("leasehold\\.(?!lock\\.)[\\w.]+")).containsExactlyInAnyOrderElementsOf(meters.keySet());
	}

	@Test
	void everyValueOfATagIsExplained() {
		Stream.of(AcquireOutcome.values(), LossCause.values(), RenewalResult.values(), HandoffKind.values())
			.flatMap(Arrays::stream)
			.forEach((constant) -> assertThat(this.page.code()).contains(constant.name().toLowerCase(Locale.ROOT)));
	}

	@Test
	void everyObservationHasItsRowWithItsValues() {
		assertThat(rowsOf("leasehold\\.lock\\.[\\w.]+")).containsExactlyInAnyOrder(
				new DefaultAcquireObservationConvention().getName(), new DefaultHoldObservationConvention().getName());
		for (LockObservationDocumentation observation : LockObservationDocumentation.values()) {
			String row = row("leasehold.lock." + observation.name().toLowerCase(Locale.ROOT));
			assertThat(row)
				.contains(Stream.of(observation.getLowCardinalityKeyNames(), observation.getHighCardinalityKeyNames())
					.flatMap(Arrays::stream)
					.map(KeyName::asString)
					.map("`%s`"::formatted)
					.toList());
		}
	}

	@Test
	void everyApplicationEventHasItsRow() {
		List<String> events = Manual
			.files((name) -> name.matches("autoconfigure/src/main/java/io/leasehold/Lock\\w+Event.java"))
			.map((file) -> file.getFileName().toString().replace(".java", ""))
			.toList();
		assertThat(events).hasSizeGreaterThanOrEqualTo(3);
		assertThat(rowsOf("Lock\\w+Event")).containsExactlyInAnyOrderElementsOf(events);
	}

	/** In PromQL, in the rules of alerts and on the dashboard. */
	@Test
	void queriesAskForWhatIsThere() {
		String scraped = this.registry.scrape();
		String queries = Stream
			.of(this.page.blocks("promql").stream().map(Page.Block::text), Dashboard.queries(),
					Stream.of(Manual.read(Manual.file("docs/operations/alerts.yml"))))
			.flatMap((texts) -> texts)
			.collect(Collectors.joining("\n"));
		Set<String> series = SERIES.matcher(queries).results().map(MatchResult::group).collect(Collectors.toSet());
		assertThat(series).hasSizeGreaterThanOrEqualTo(15)
			.allSatisfy((name) -> assertThat(scraped).containsPattern("(?m)^" + name + "\\{"));
		LABELS.matcher(queries)
			.results()
			.flatMap((label) -> Arrays.stream(label.group(2).split("\\|"))
				.map((value) -> "%s=\"%s\"".formatted(label.group(1), value)))
			.forEach((label) -> assertThat(scraped).contains(label));
	}

	@Test
	void responsesOfTheEndpointAreComplete() {
		List<JsonNode> responses = Manual.page("docs/endpoints.md")
			.blocks("json")
			.stream()
			.map((block) -> new JsonMapper().readTree(block.text()))
			.toList();
		assertThat(fields(responses.get(0))).isEqualTo(components(LocksDescriptor.class));
		assertThat(fields(responses.get(0).path("held").path(0))).isEqualTo(components(LocksDescriptor.Held.class));
		assertThat(fields(responses.get(0).path("waiting").path(0)))
			.isEqualTo(components(LocksDescriptor.Waiting.class));
		assertThat(fields(responses.get(1))).isEqualTo(components(LockDescriptor.class));
		assertThat(fields(responses.get(1).path("holders").path(0))).isEqualTo(components(LockDescriptor.Holder.class));
		assertThat(fields(responses.get(2))).isEqualTo(components(LockDescriptor.Kept.class));
		assertThat(fields(responses.get(2).path("last"))).isEqualTo(components(LockDescriptor.Last.class));
		assertThat(fields(responses.get(3))).isEqualTo(components(HeldDescriptor.class));
		assertThat(fields(responses.get(3).path("held").path(0))).isEqualTo(components(HeldDescriptor.Entry.class));
		assertThat(fields(responses.get(4))).isEqualTo(components(DeadlocksDescriptor.class));
		assertThat(fields(responses.get(4).path("deadlocks").path(0).path(0)))
			.isEqualTo(components(LockDeadlocks.Wait.class));
		assertThat(fields(responses.get(5))).isEqualTo(components(RoleDescriptor.class));
		assertThat(fields(responses.get(5).path("leaders").path(0))).isEqualTo(components(LockDescriptor.Holder.class));
	}

	private static List<String> fields(JsonNode object) {
		return List.copyOf(object.propertyNames());
	}

	private static List<String> components(Class<?> type) {
		return Arrays.stream(type.getRecordComponents()).map((component) -> component.getName()).toList();
	}

	private static String kind(Meter.Id id) {
		String type = id.getType().name().toLowerCase(Locale.ROOT);
		return (id.getBaseUnit() != null) ? "%s, %s".formatted(type, id.getBaseUnit()) : type + " |";
	}

	private String row(String name) {
		return this.page.prose()
			.stream()
			.filter((line) -> line.startsWith("| `%s` |".formatted(name)))
			.findFirst()
			.orElseThrow();
	}

	private List<String> rowsOf(String names) {
		Pattern row = Pattern.compile("^\\| `(%s)` \\|.*".formatted(names));
		return this.page.prose()
			.stream()
			.map(row::matcher)
			.filter((line) -> line.matches())
			.map((line) -> line.group(1))
			.toList();
	}

	/**
	 * With one event of each kind behind it, and the histogram that the page recommends.
	 */
	private static PrometheusMeterRegistry registry() {
		PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		registry.config().meterFilter(new MeterFilter() {
			@Override
			public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
				return id.getName().equals("leasehold.hold")
						? DistributionStatisticConfig.builder().percentilesHistogram(true).build().merge(config)
						: config;
			}
		});
		new DroppedEventMetrics(new ApplicationEvents((event) -> {
		}), locks().inspector()).bindTo(registry);
		new EngineStateMetrics(locks().inspector()).bindTo(registry);
		Candidate candidate = new Candidate("billing", locks(), locks().defaults(), (event) -> {
		});
		new LeadershipMetrics(new Leaderships(List.of(candidate))).bindTo(registry);
		LockMetrics metrics = new LockMetrics(registry);
		LockKey key = new LockKey("order:42");
		metrics.onEvent(new LockEvent.AcquireEnded("redis", "pay", key, AcquireOutcome.ACQUIRED, false, 1, null));
		metrics.onEvent(new LockEvent.HandedOff("redis", HandoffKind.LOCAL));
		metrics.onEvent(new LockEvent.LeaseRenewed("redis", RenewalResult.RENEWED, Duration.ofMillis(1),
				Duration.ofMillis(1), null));
		metrics.onEvent(new LockEvent.AcquireEnded("redis", "pay", key, AcquireOutcome.UNAVAILABLE, false, 1,
				new LockEngineException(key, "", null, true, "READONLY")));
		metrics.onEvent(new LockEvent.HoldLost("redis", "pay", key, 64, LossCause.EXPIRED));
		metrics.onEvent(new LockEvent.HoldEnded("redis", "pay", key, 64, 1));
		return registry;
	}

	private static LockService locks() {
		LockOptions options = new LockOptions("test", "local", Duration.ofSeconds(10), Duration.ZERO, Duration.ZERO,
				LockOptions.UNLIMITED);
		return new LockService(new ServiceSettings(options, OnLost.THROW, 63, Duration.ofSeconds(5)),
				List.of(new LocalLockEngine(MonotonicClock.SYSTEM)), Member.of("test"), MonotonicClock.SYSTEM,
				List.of(), ReleaseTiming.IMMEDIATE);
	}

}
