package io.leasehold.autoconfigure.actuate;

import java.util.Set;
import java.util.stream.Collectors;

import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.StubEngine;
import io.leasehold.LockKey;
import io.leasehold.endpoint.LockActivity;
import io.leasehold.endpoint.LocksEndpoint;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent.AcquireEnded;
import io.leasehold.engine.LockEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseholdEndpointAutoConfigurationTests {

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withBean("stub", LockEngine.class, () -> new StubEngine("stub"));

	private final WebApplicationContextRunner exposed = new WebApplicationContextRunner()
		.withConfiguration(Leasehold.autoConfigurations())
		.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
		.withConfiguration(AutoConfigurations.of(EndpointAutoConfiguration.class, WebEndpointAutoConfiguration.class))
		.withPropertyValues("management.endpoints.web.exposure.include=locks");

	@Test
	void endpointIsThereOnlyWhenItIsExposed() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
		this.exposed.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class));
		this.runner
			.withConfiguration(AutoConfigurations.of(EndpointAutoConfiguration.class, JmxAutoConfiguration.class,
					JmxEndpointAutoConfiguration.class))
			.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=locks")
			.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class));
	}

	@Test
	void onlyReadsAreAllowedByDefault() {
		this.exposed.run((context) -> assertThat(methods(context)).containsOnly(WebEndpointHttpMethod.GET));
		this.exposed
			.withPropertyValues("management.endpoint.locks.access=UNRESTRICTED",
					"management.endpoints.access.max-permitted=READ_ONLY")
			.run((context) -> assertThat(methods(context)).containsOnly(WebEndpointHttpMethod.GET));
		this.exposed.withPropertyValues("management.endpoint.locks.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.endpoint.locks.access=UNRESTRICTED",
			"management.endpoints.access.default=UNRESTRICTED", "management.endpoint.locks.enabled=true",
			"management.endpoints.enabled-by-default=true" })
	void writesAreAllowedIfAccessIsUnrestricted(String property) {
		this.exposed.withPropertyValues(property)
			.run((context) -> assertThat(methods(context)).contains(WebEndpointHttpMethod.DELETE,
					WebEndpointHttpMethod.POST));
	}

	@ParameterizedTest
	@CsvSource({ "leasehold.contention=true, 1", "leasehold.contention=false, 0", "leasehold.lease=30s, 1" })
	void keysAreKeptUnlessContentionIsDisabled(String property, int keys) {
		this.exposed.withPropertyValues(property).run((context) -> {
			context.getBean(LockActivity.class)
				.onEvent(new AcquireEnded("local", "pay", new LockKey("order:42"), AcquireOutcome.BUSY, true, 1, null));
			assertThat(context.getBean(LocksEndpoint.class).locks().contended()).hasSize(keys);
		});
	}

	@Test
	void ownEndpointWins() {
		this.exposed.withBean("own", LocksEndpoint.class, () -> new LocksEndpoint(null, null, null))
			.run((context) -> assertThat(context).getBean(LocksEndpoint.class).isSameAs(context.getBean("own")));
	}

	@Test
	void applicationWithoutActuatorStarts() {
		this.runner.withClassLoader(new FilteredClassLoader(Endpoint.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("locksEndpoint"));
	}

	private static Set<WebEndpointHttpMethod> methods(AssertableWebApplicationContext context) {
		return context.getBean(WebEndpointsSupplier.class)
			.getEndpoints()
			.stream()
			.flatMap((endpoint) -> endpoint.getOperations().stream())
			.map((operation) -> operation.getRequestPredicate().getHttpMethod())
			.collect(Collectors.toSet());
	}

}
