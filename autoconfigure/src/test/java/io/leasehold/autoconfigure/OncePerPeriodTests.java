package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.test.contract.Pace;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.MeterNotFoundException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A job of several instances of an application that share a database, at most once per
 * period.
 */
class OncePerPeriodTests {

	private static final Duration PERIOD = Duration.ofMillis(1500);

	/** When each run was let in, in microseconds of the database's clock. */
	private final List<Long> runs = new CopyOnWriteArrayList<>();

	private final ApplicationContextRunner instance = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
		.withUserConfiguration(Scheduling.class)
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withBean(Job.class, () -> new Job(this.runs))
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
				"leasehold.engine=jdbc", "test.period=" + PERIOD.toMillis() + "ms");

	/**
	 * The first run fails, and an instance is stopped on the way: both change nothing.
	 */
	@Test
	void jobOfTwoInstancesRunsOnceInEachPeriod() {
		Pace pace = Pace.begin();
		this.instance.run((one) -> {
			this.instance.run((other) -> {
				await(3);
				// The other instance may have started after three runs of this one
				Awaitility.await()
					.ignoreException(MeterNotFoundException.class)
					.until(() -> skipped(one) > 0 && skipped(other) > 0);
			});
			await(4);
		});
		long period = PERIOD.toNanos() / 1000;
		long most = PERIOD.plus(pace.slack(PERIOD)).toNanos() / 1000;
		for (int i = 1; i < this.runs.size(); i++) {
			assertThat(this.runs.get(i) - this.runs.get(i - 1)).isBetween(period, most);
		}
	}

	private void await(int count) {
		Awaitility.await().atMost(PERIOD.multipliedBy(20)).until(() -> this.runs.size() >= count);
	}

	private static long skipped(ApplicationContext context) {
		return context.getBean(MeterRegistry.class).get("leasehold.acquire").tags("outcome", "busy").timer().count();
	}

	static class Job {

		private final List<Long> runs;

		Job(List<Long> runs) {
			this.runs = runs;
		}

		@Scheduled(fixedRate = 50)
		@DistributedLock(key = "'job'", waitTime = "0s", whenBusy = WhenBusy.SKIP, minHold = "${test.period}")
		public void run() {
			this.runs.add(HeldLock.current().fencingToken() / 64);
			if (this.runs.size() == 1) {
				throw new IllegalStateException("This run fails");
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

}
