package io.leasehold.interceptor;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Durations of annotations, which are checked at startup.
 */
class AnnotationDurationsTests {

	/** A number without a unit is refused as such, in annotations as in properties. */
	@Fault(131)
	@ParameterizedTest
	@ValueSource(strings = { "test.lease=30", "test.wait=5", "test.wait=-5", "test.min=+5", "test.max=60" })
	void numberWithoutAUnitStopsTheStart(String property) {
		Locked.runner(Durations.class)
			.withPropertyValues(property)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Durations.run")
				.hasMessageContaining("a number without a unit")
				.hasMessageContaining("30s"));
	}

	/** An invalid lease of an annotation fails startup, and the message names it. */
	@Fault(77)
	@ParameterizedTest
	@ValueSource(strings = { "-1s", "0", "0s", "0ms", "PT0S", "PT-5S", "30", "soon", "9999999999999999d",
			"PT9999999999999999H", "400d", "9223372036854775807s", "1ms", "1x" })
	void badLeaseStopsTheStart(String lease) {
		durations("test.lease=" + lease, "lease");
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1ms", "5", "PT9999999999999999H", "9223372036854775807s" })
	void badWaitTimeStopsTheStart(String waitTime) {
		durations("test.wait=" + waitTime, "waitTime");
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1ms", "5", "never" })
	void badMinHoldStopsTheStart(String minHold) {
		durations("test.min=" + minHold, "minHold");
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1ms", "0", "0s", "5", "never" })
	void badMaxHoldStopsTheStart(String maxHold) {
		durations("test.max=" + maxHold, "maxHold");
	}

	private static void durations(String property, String attribute) {
		Locked.runner(Durations.class)
			.withPropertyValues(property)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Durations.run")
				.hasMessageContaining(attribute));
	}

	@Test
	void minHoldLongerThanMaxHoldStopsTheStart() {
		Locked.runner(Durations.class)
			.withPropertyValues("test.min=2s", "test.max=1s")
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Durations.run")
				.hasMessageContaining("minHold")
				.hasMessageContaining("leasehold.*")
				.hasMessageContaining("maxHold"));
	}

	@ExtendWith(OutputCaptureExtension.class)
	@Test
	void maxHoldShorterThanTheShortestLeaseIsWarnedOf(CapturedOutput output) {
		Locked.runner(Durations.class).withPropertyValues("test.max=9ms").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("Durations.run has maxHold PT0.009S").contains("10 ms");
		});
		Locked.runner(Durations.class)
			.withPropertyValues("test.max=10ms")
			.run((context) -> assertThat(output).doesNotContain("PT0.01S"));
	}

	@Test
	void unresolvedPlaceholderStopsTheStart() {
		Locked.runner(Unresolved.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Unresolved.run")
				.hasMessageContaining("${no.such.property}"));
	}

	@Test
	void zeroNeedsNoUnitWhereItMeansSomething() {
		Locked.runner(Durations.class)
			.withPropertyValues("test.wait=0", "test.min=0")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void goodDurationsStart() {
		Locked.runner(Durations.class)
			.withPropertyValues("test.lease=30s", "test.wait=0s", "test.min=0s", "test.max=PT1M")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static class Durations {

		@DistributedLock(key = "'k'", lease = "${test.lease:}", waitTime = "${test.wait:}", minHold = "${test.min:}",
				maxHold = "${test.max:}")
		public void run() {
		}

	}

	static class Unresolved {

		@DistributedLock(key = "'k'", lease = "${no.such.property}")
		public void run() {
		}

	}

}
