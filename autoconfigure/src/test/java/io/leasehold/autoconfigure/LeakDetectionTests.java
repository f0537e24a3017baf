package io.leasehold.autoconfigure;

import java.time.Duration;

import io.leasehold.DistributedLocks;
import io.leasehold.event.LeakDetection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeakDetection} in an application.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeakDetectionTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class))
		.withPropertyValues("leasehold.engine=local", "leasehold.lease=10m");

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void forgottenHandleIsReportedWithItsCallSite(boolean async, CapturedOutput output) {
		this.runner.withPropertyValues("leasehold.leak-detection=true").run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			locks.acquire("kept").close();
			acquireAndForget(locks, async);
			Awaitility.await().pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
				System.gc();
				assertThat(output).contains("Lock 'forgotten' (unnamed) was never released");
			});
			assertThat(output).contains("at " + getClass().getName() + ".acquireAndForget(LeakDetectionTests.java:")
				.doesNotContain("'kept'");
		});
	}

	@Test
	void warningOfALeakNamesThePropertyThatFindsIt(CapturedOutput output) {
		this.runner.run((context) -> {
			acquireAndForget(context.getBean(DistributedLocks.class), false);
			Awaitility.await().pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
				System.gc();
				assertThat(output).contains("can release it, see leasehold.leak-detection");
			});
		});
	}

	@Test
	void nothingFollowsAcquisitionsUnlessItIsAskedFor() {
		this.runner.run((context) -> assertThat(context).doesNotHaveBean(LeakDetection.class));
	}

	private static void acquireAndForget(DistributedLocks locks, boolean async) {
		if (async) {
			locks.acquireAsync("forgotten").join();
		}
		else {
			locks.acquire("forgotten");
		}
	}

}
