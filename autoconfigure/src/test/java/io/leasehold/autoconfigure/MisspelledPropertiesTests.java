package io.leasehold.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MisspelledProperties}.
 */
@ExtendWith(OutputCaptureExtension.class)
class MisspelledPropertiesTests {

	@ParameterizedTest
	@CsvSource({ "leasehold.wait-tme, leasehold.wait-time", "leasehold.waittimes, leasehold.wait-time",
			"leasehold.leese, leasehold.lease", "leasehold.jdbc.initialise-schema, leasehold.jdbc.initialize-schema",
			"leasehold.leadership.role, leasehold.leadership.roles" })
	void nearestNameIsProposed(String wrong, String right, CapturedOutput output) {
		check(wrong);
		assertThat(output.getOut())
			.contains("Property '%s' is unknown and has no effect. Did you mean '%s'?".formatted(wrong, right));
	}

	@ParameterizedTest
	@ValueSource(strings = { "leasehold.wait-time", "leasehold.waitTime", "leasehold.wait_time",
			"leasehold.leadership.roles", "leasehold.leadership.roles[0]", "leasehold.own-engine.servers",
			"leaseholds.wait-tme" })
	void otherNamesAreNot(String name, CapturedOutput output) {
		check(name);
		assertThat(OwnWarnings.in(output)).isEmpty();
	}

	@Test
	void applicationIsWarned(CapturedOutput output) {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=local", "leasehold.local.enabled=true", "leasehold.slow-hol=1s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.getOut()).containsOnlyOnce("Did you mean 'leasehold.slow-hold'?");
	}

	private static void check(String property) {
		MockEnvironment environment = new MockEnvironment().withProperty(property, "1");
		new MisspelledProperties(environment, MisspelledProperties.class.getClassLoader())
			.afterSingletonsInstantiated();
	}

}
