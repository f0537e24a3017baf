package io.leasehold.interceptor;

import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys with placeholders, in an application.
 */
class KeyPlaceholderTests {

	@Test
	void placeholdersHaveTheValuesOfProperties() {
		Locked.runner(Orders.class)
			.withPropertyValues("app.region=eu", "app.zone=${app.region}-1", "job.id=nightly #1")
			.run((context) -> {
				Orders orders = context.getBean(Orders.class);
				assertThat(orders.pay("7")).isEqualTo("eu-1:order:7");
				assertThat(orders.report()).isEqualTo("nightly #1");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "${app.zone}", "#{1 + 1}", "' + @environment + '", "\\${app.zone}" })
	void valuesOfArgumentsAreNeverResolved(String id) {
		Locked.runner(Orders.class)
			.withPropertyValues("app.zone=eu", "job.id=nightly")
			.run((context) -> assertThat(context.getBean(Orders.class).pay(id)).isEqualTo("eu:order:" + id));
	}

	@Test
	void missingPropertyStopsTheStart() {
		Locked.runner(Orders.class)
			.withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class))
			.withPropertyValues("app.zone=eu")
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Orders.report")
				.hasMessageContaining("${job.id}")
				.hasMessageContaining("Set the property"));
	}

	@Test
	void blankPropertyStopsTheStart() {
		Locked.runner(Orders.class)
			.withPropertyValues("app.zone=", "job.id=nightly")
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Orders.pay")
				.hasMessageContaining("${app.zone} is blank"));
	}

	/** Without Boot's configurer, Spring leaves a placeholder as it is. */
	@Test
	void unresolvedPlaceholderStopsTheStart() {
		Locked.runner(Orders.class)
			.withPropertyValues("job.id=nightly")
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Orders.pay")
				.hasMessageContaining("unresolved placeholder"));
	}

	static class Orders {

		@DistributedLock(key = "'${app.zone}:order:' + #id")
		public String pay(String id) {
			return HeldLock.current().key();
		}

		@DistributedLock(key = "${job.id}")
		public String report() {
			return HeldLock.current().key();
		}

	}

}
