package io.leasehold.metrics;

import java.io.IOException;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LossCause;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.HandoffKind;
import io.leasehold.event.LockEvent;
import io.leasehold.event.RenewalResult;
import io.leasehold.test.contract.Fault;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class LockMetricsTests {

	private static final String NAME = "OrderService.pay";

	private static final LockKey KEY = new LockKey("order:42");

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LockMetrics metrics = new LockMetrics(this.registry);

	@ParameterizedTest
	@EnumSource
	void acquisitionsAreTimedByOutcome(AcquireOutcome outcome) {
		ended(outcome, false, Duration.ofMillis(7));
		Timer timer = this.registry.get("leasehold.acquire")
			.tags("name", NAME, "engine", "redis", "outcome", outcome.name().toLowerCase(Locale.ROOT))
			.timer();
		assertThat(timer.count()).isOne();
		assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(7);
	}

	@Test
	void acquisitionWithoutAKeyCounts() {
		this.metrics.onEvent(new LockEvent.AcquireEnded("redis", NAME, null, AcquireOutcome.ERROR, false, 0, null));
		assertThat(this.registry.get("leasehold.acquire").tag("outcome", "error").timer().count()).isOne();
	}

	@Test
	void allOutcomesAreThereFromTheFirstEventOn() {
		ended(AcquireOutcome.ACQUIRED, false, Duration.ZERO);
		assertThat(this.registry.get("leasehold.acquire").timers())
			.extracting((timer) -> timer.getId().getTag("outcome"))
			.containsExactlyInAnyOrder("acquired", "reentered", "bypassed", "not_wanted", "busy", "interrupted",
					"unavailable", "error");
		assertThat(this.registry.get("leasehold.lost").counters()).hasSize(LossCause.values().length)
			.allMatch((counter) -> counter.count() == 0);
	}

	@Test
	void timeSinceTheLastAcquisitionIsKnown() {
		MockClock clock = new MockClock();
		SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
		LockMetrics metrics = new LockMetrics(registry);
		metrics.onEvent(new LockEvent.AcquireEnded("redis", NAME, KEY, AcquireOutcome.BUSY, false, 0, null));
		clock.add(Duration.ofMinutes(1));
		metrics.onEvent(new LockEvent.AcquireEnded("redis", NAME, KEY, AcquireOutcome.BUSY, false, 0, null));
		TimeGauge age = registry.get("leasehold.acquired.age").tags("name", NAME, "engine", "redis").timeGauge();
		assertThat(age.value(TimeUnit.SECONDS)).isEqualTo(60);
		metrics.onEvent(new LockEvent.AcquireEnded("redis", NAME, KEY, AcquireOutcome.ACQUIRED, false, 0, null));
		clock.add(Duration.ofSeconds(5));
		assertThat(age.value(TimeUnit.SECONDS)).isEqualTo(5);
	}

	@Test
	void holdIsCountedWhileItLastsAndTimedAfterwards() {
		ended(AcquireOutcome.ACQUIRED, false, Duration.ZERO);
		assertThat(gauge("leasehold.held")).isOne();
		holdEnded(Duration.ofSeconds(3));
		assertThat(gauge("leasehold.held")).isZero();
		assertThat(this.registry.get("leasehold.hold")
			.tags("name", NAME, "engine", "redis")
			.timer()
			.totalTime(TimeUnit.SECONDS)).isEqualTo(3);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ACQUIRED")
	void onlyAGrantCountsAsHeld(AcquireOutcome outcome) {
		ended(outcome, false, Duration.ZERO);
		assertThat(gauge("leasehold.held")).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void waitIsCountedUntilItEndsOneWayOrAnother(AcquireOutcome outcome) {
		this.metrics.onEvent(new LockEvent.WaitStarted("redis", NAME, KEY));
		assertThat(gauge("leasehold.waiting")).isOne();
		ended(outcome, true, Duration.ZERO);
		assertThat(gauge("leasehold.waiting")).isZero();
	}

	@Test
	void acquisitionThatDidNotWaitEndsNoWait() {
		this.metrics.onEvent(new LockEvent.WaitStarted("redis", NAME, KEY));
		ended(AcquireOutcome.ACQUIRED, false, Duration.ZERO);
		assertThat(gauge("leasehold.waiting")).isOne();
	}

	/** Gauges that many threads change at the same time come back to zero. */
	@Test
	@Fault(93)
	void gaugesAreZeroAfterChurnByManyThreads() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try {
			List<Future<?>> churns = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				churns.add(threads.submit(this::churn));
			}
			for (Future<?> churn : churns) {
				churn.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(gauge("leasehold.held")).isZero();
		assertThat(gauge("leasehold.waiting")).isZero();
		assertThat(this.registry.get("leasehold.hold").timer().count()).isEqualTo(8_000);
	}

	private void churn() {
		for (int i = 0; i < 1_000; i++) {
			this.metrics.onEvent(new LockEvent.WaitStarted("redis", NAME, KEY));
			ended(AcquireOutcome.ACQUIRED, true, Duration.ZERO);
			holdEnded(Duration.ZERO);
		}
	}

	@ParameterizedTest
	@EnumSource
	void lossesAreCountedByCause(LossCause cause) {
		this.metrics.onEvent(new LockEvent.HoldLost("redis", NAME, KEY, 64, cause));
		assertThat(this.registry.get("leasehold.lost")
			.tags("name", NAME, "engine", "redis", "cause", cause.name().toLowerCase(Locale.ROOT))
			.counter()
			.count()).isOne();
	}

	@ParameterizedTest
	@EnumSource
	void renewalsAreTimedByOutcome(RenewalResult outcome) {
		renewed(outcome, Duration.ofSeconds(20));
		assertThat(this.registry.get("leasehold.renewal")
			.tags("engine", "redis", "outcome", outcome.name().toLowerCase(Locale.ROOT))
			.timer()
			.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(4);
	}

	/** Renewals that get late are seen before they are too late. */
	@Fault(4)
	@Test
	void slackIsWhatWasLeftOfTheLease() {
		renewed(RenewalResult.RENEWED, Duration.ofSeconds(20));
		renewed(RenewalResult.UNKNOWN, Duration.ofSeconds(10));
		assertThat(slack().totalTime(TimeUnit.SECONDS)).isEqualTo(30);
	}

	@Test
	void responseAfterTheEndOfTheLeaseHasNoSlack() {
		renewed(RenewalResult.UNKNOWN, Duration.ofSeconds(-1));
		assertThat(slack().count()).isOne();
		assertThat(slack().totalTime(TimeUnit.SECONDS)).isZero();
	}

	@Test
	void leaseOfAnotherOwnerHasNoSlackToSpeakOf() {
		renewed(RenewalResult.NOT_OWNER, Duration.ofSeconds(20));
		assertThat(slack().count()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void handoffsAreCountedByKind(HandoffKind kind) {
		this.metrics.onEvent(new LockEvent.HandedOff("redis", kind));
		assertThat(this.registry.get("leasehold.handoff")
			.tags("engine", "redis", "kind", kind.name().toLowerCase(Locale.ROOT))
			.counter()
			.count()).isOne();
	}

	/** Also where the failure of a wait wraps that of its last request. */
	@Test
	void refusalsOfAcquisitionsAndRenewalsAreCountedByReason() {
		LockEngineException refusal = new LockEngineException(KEY, "", null, true, "READONLY");
		this.metrics.onEvent(new LockEvent.AcquireEnded("redis", NAME, KEY, AcquireOutcome.UNAVAILABLE, true, 1,
				new LockEngineException(KEY, "", refusal)));
		this.metrics
			.onEvent(new LockEvent.LeaseRenewed("redis", RenewalResult.UNKNOWN, Duration.ZERO, Duration.ZERO, refusal));
		this.metrics.onEvent(new LockEvent.AcquireEnded("redis", NAME, KEY, AcquireOutcome.UNAVAILABLE, false, 1,
				new LockEngineException(KEY, "", null, true, "LOADING")));
		assertThat(this.registry.get("leasehold.refused").tag("reason", "READONLY").counter().count()).isEqualTo(2);
		assertThat(this.registry.get("leasehold.refused").tag("reason", "LOADING").counter().count()).isEqualTo(1);
	}

	@Test
	void silenceOfTheStoreIsNoRefusal() {
		this.metrics.onEvent(new LockEvent.AcquireEnded("redis", NAME, KEY, AcquireOutcome.UNAVAILABLE, false, 1,
				new LockEngineException(KEY, "", null)));
		assertThat(this.registry.find("leasehold.refused").counter()).isNull();
	}

	@Test
	void namesAndEnginesAreApart() {
		this.metrics.onEvent(new LockEvent.AcquireEnded("redis", "a", KEY, AcquireOutcome.BUSY, false, 0, null));
		this.metrics.onEvent(new LockEvent.AcquireEnded("jdbc", "a", KEY, AcquireOutcome.BUSY, false, 0, null));
		this.metrics.onEvent(new LockEvent.AcquireEnded("redis", "b", KEY, AcquireOutcome.BUSY, false, 0, null));
		assertThat(this.registry.get("leasehold.acquire").tag("outcome", "busy").timers()).hasSize(3)
			.allMatch((timer) -> timer.count() == 1);
	}

	/** Keys are data of users, and as many as there are users: no tag has one. */
	@Test
	@Fault(93)
	void noTagContainsAKey() {
		everything("secret:4711");
		assertThat(this.registry.getMeters()).isNotEmpty()
			.flatExtracting((meter) -> meter.getId().getTags())
			.extracting(Tag::getValue)
			.noneMatch((value) -> value.contains("4711"));
	}

	/** Meters are as many as there are names of locks, however many keys there are. */
	@Test
	@Fault(93)
	void moreKeysMakeNoMoreMeters() {
		everything("order:1");
		int before = this.registry.getMeters().size();
		for (int i = 2; i < 100; i++) {
			everything("order:" + i);
		}
		assertThat(this.registry.getMeters()).hasSize(before);
	}

	@Test
	void everyMeterHasADescriptionAndAUnit() {
		everything("order:42");
		// This registry adds gauges of its own for the buckets of a timer
		assertThat(this.registry.getMeters()).extracting(Meter::getId)
			.filteredOn((id) -> !id.getName().endsWith(".histogram"))
			.hasSizeGreaterThan(10)
			.allSatisfy((id) -> {
				assertThat(id.getName()).startsWith("leasehold.");
				assertThat(id.getDescription()).as(id.getName()).isNotBlank();
				assertThat(id.getBaseUnit()).as(id.getName()).isNotBlank();
			});
	}

	@Test
	void prometheusSeesTheNamesOfTheManual() throws IOException {
		PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		LockMetrics scraped = new LockMetrics(prometheus);
		everything(scraped, "order:42");
		String scrape = prometheus.scrape();
		Reference.reachabilityFence(scraped); // registries hold gauges weakly
		assertThat(scrape.lines().toList()).contains(
				"leasehold_acquire_seconds_count{engine=\"redis\",name=\"OrderService.pay\",outcome=\"acquired\"} 1",
				"leasehold_acquire_seconds_count{engine=\"redis\",name=\"OrderService.pay\",outcome=\"busy\"} 0",
				"leasehold_hold_seconds_count{engine=\"redis\",name=\"OrderService.pay\"} 1",
				"leasehold_held_locks{engine=\"redis\",name=\"OrderService.pay\"} 0.0",
				"leasehold_waiting_callers{engine=\"redis\",name=\"OrderService.pay\"} 0.0",
				"leasehold_renewal_seconds_count{engine=\"redis\",outcome=\"renewed\"} 1",
				"leasehold_renewal_slack_seconds_bucket{engine=\"redis\",le=\"1.0\"} 0",
				"leasehold_renewal_slack_seconds_bucket{engine=\"redis\",le=\"5.0\"} 2",
				"leasehold_refused_requests_total{engine=\"redis\",reason=\"OOM\"} 1.0",
				"leasehold_lost_locks_total{cause=\"expired\",engine=\"redis\",name=\"OrderService.pay\"} 1.0",
				"leasehold_handoff_keys_total{engine=\"redis\",kind=\"local\"} 1.0");
	}

	private void everything(String key) {
		everything(this.metrics, key);
	}

	private static void everything(LockMetrics metrics, String key) {
		LockKey lockKey = new LockKey(key);
		metrics.onEvent(new LockEvent.WaitStarted("redis", NAME, lockKey));
		metrics.onEvent(new LockEvent.AcquireEnded("redis", NAME, lockKey, AcquireOutcome.ACQUIRED, true, 1_000, null));
		metrics.onEvent(new LockEvent.HandedOff("redis", HandoffKind.LOCAL));
		metrics.onEvent(new LockEvent.LeaseRenewed("redis", RenewalResult.RENEWED, Duration.ofMillis(4),
				Duration.ofSeconds(2), null));
		metrics.onEvent(new LockEvent.LeaseRenewed("redis", RenewalResult.UNKNOWN, Duration.ofMillis(4),
				Duration.ofSeconds(2), new LockEngineException(lockKey, "", null, true, "OOM")));
		metrics.onEvent(new LockEvent.HoldLost("redis", NAME, lockKey, 64, LossCause.EXPIRED));
		metrics.onEvent(new LockEvent.HoldEnded("redis", NAME, lockKey, 64, 1_000));
	}

	private void ended(AcquireOutcome outcome, boolean waited, Duration took) {
		this.metrics.onEvent(new LockEvent.AcquireEnded("redis", NAME, KEY, outcome, waited, took.toNanos(), null));
	}

	private void holdEnded(Duration held) {
		this.metrics.onEvent(new LockEvent.HoldEnded("redis", NAME, KEY, 64, held.toNanos()));
	}

	private void renewed(RenewalResult outcome, Duration slack) {
		this.metrics.onEvent(new LockEvent.LeaseRenewed("redis", outcome, Duration.ofMillis(4), slack, null));
	}

	private double gauge(String name) {
		return this.registry.get(name).tags("name", NAME, "engine", "redis").gauge().value();
	}

	private Timer slack() {
		return this.registry.get("leasehold.renewal.slack").tag("engine", "redis").timer();
	}

}
