package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.KeptLock;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.server.RedisTestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A pause and the last run of a job outlive the processes that caused them.
 */
class RedisPausedJobIntegrationTests {

	private static final LockKey KEY = new LockKey("nightly");

	private final String namespace = "jobs-" + UUID.randomUUID();

	@Test
	void pauseSurvivesARestartAndEndsWhenTheJobIsOpened() {
		try (Instance first = new Instance(this.namespace)) {
			first.locks().pause("redis", KEY, null, "alice@example.com");
			assertThat(first.runs()).isEmpty();
		}
		try (Instance second = new Instance(this.namespace)) {
			assertThat(second.runs()).isEmpty();
			KeptLock kept = Objects.requireNonNull(second.locks().kept("redis", KEY));
			assertThat(kept.pausedBy()).isEqualTo("alice_example.com");
			assertThat(kept.remaining()).isBetween(Duration.ofDays(364), Duration.ofDays(365));
			assertThat(second.locks().open("redis", KEY)).isNotNull();
			assertThat(second.runs()).hasSize(1);
			assertThat(second.runs()).as("inside its period").hasSize(1);
		}
		try (Instance third = new Instance(this.namespace)) {
			KeptLock kept = Objects.requireNonNull(third.locks().kept("redis", KEY));
			assertThat(kept.pausedBy()).isNull();
			assertThat(kept.released()).isNotNull();
			assertThat(third.runs()).isEmpty();
		}
	}

	@Test
	void pauseReplacesThePeriodAndAnEarlierPauseAndStartsNoCallerThatWaits() {
		try (Instance first = new Instance(this.namespace); Instance second = new Instance(this.namespace)) {
			assertThat(first.runs()).hasSize(1);
			CompletableFuture<HeldLock> waiting = CompletableFuture.supplyAsync(second::await);
			Awaitility.await().until(() -> !second.locks().overview("redis", KEY).waiting().isEmpty());
			KeptLock period = Objects.requireNonNull(first.locks().pause("redis", KEY, Duration.ofHours(2), "alice"));
			assertThat(period.pausedBy()).isNull();
			assertThat(period.released()).isNotNull();
			KeptLock pause = Objects.requireNonNull(first.locks().pause("redis", KEY, Duration.ofHours(1), "bob"));
			assertThat(pause.pausedBy()).isEqualTo("alice");
			KeptLock kept = Objects.requireNonNull(second.locks().kept("redis", KEY));
			assertThat(kept.pausedBy()).isEqualTo("bob");
			assertThat(kept.last().application()).isEqualTo("shop");
			assertThat(kept.last().since()).isAfterOrEqualTo(pause.last().since());
			assertThat(kept.remaining()).isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
			assertThat(waiting).isNotDone();
			assertThat(first.locks().open("redis", KEY)).isNotNull();
			waiting.join().close();
		}
	}

	/** The process that ran the job is gone without a release. */
	@Test
	void jobThatCrashedInsideItsPeriodRunsAgainAfterItsKeyWasOpened() {
		try (Instance first = new Instance(this.namespace)) {
			Claim claim = new Claim(KEY, Member.of("dead").newOwner("worker"), Duration.ofMillis(800),
					Duration.ofHours(1), false, System.nanoTime());
			assertThat(first.engine().tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Granted.class);
		}
		try (Instance second = new Instance(this.namespace)) {
			Awaitility.await().until(() -> second.locks().kept("redis", KEY) != null);
			assertThat(second.runs()).isEmpty();
			KeptLock kept = Objects.requireNonNull(second.locks().kept("redis", KEY));
			assertThat(kept.last().application()).isEqualTo("dead");
			assertThat(kept.released()).isNull();
			assertThat(second.locks().open("redis", KEY)).isNotNull();
			List<Long> runs = second.runs();
			assertThat(runs).hasSize(1);
			assertThat(runs.get(0)).isGreaterThan(kept.last().fencingToken());
		}
	}

	/** An instance of the application. */
	private static final class Instance implements AutoCloseable {

		private final ConfigurableApplicationContext context;

		Instance(String namespace) {
			this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
				.properties(Leasehold.patient())
				.properties("spring.application.name=shop", "leasehold.engine=redis",
						"leasehold.namespace=" + namespace, "spring.data.redis.host=127.0.0.1",
						"spring.data.redis.port=" + RedisTestServer.shared().port())
				.run();
		}

		LockInspector locks() {
			return this.context.getBean(LockInspector.class);
		}

		LockEngine engine() {
			return this.context.getBean(RedisLockEngine.class);
		}

		/** Wait for the job's key. */
		HeldLock await() {
			DistributedLocks locks = this.context.getBean(DistributedLocks.class);
			return locks.acquire(KEY.value(), locks.defaults().toBuilder().waitTime(Duration.ofMinutes(5)).build());
		}

		/** Call the job, and return the fencing tokens of its runs in this instance. */
		List<Long> runs() {
			Job job = this.context.getBean(Job.class);
			job.nightly();
			return job.runs();
		}

		@Override
		public void close() {
			this.context.close();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Job.class)
	static class Application {

	}

	static class Job {

		private final List<Long> runs = new ArrayList<>();

		List<Long> runs() {
			return List.copyOf(this.runs);
		}

		@DistributedLock(key = "'nightly'", waitTime = "0s", whenBusy = WhenBusy.SKIP, minHold = "20h")
		public void nightly() {
			this.runs.add(HeldLock.current().fencingToken());
		}

	}

}
