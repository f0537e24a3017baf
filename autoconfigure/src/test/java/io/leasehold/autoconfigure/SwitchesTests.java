package io.leasehold.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each property that is true or false has one effect in all spellings that its binding
 * accepts: a property that is bound as true must not find its beans missing.
 */
class SwitchesTests {

	private static final Map<String, List<String>> SPELLINGS = Map.of("true",
			List.of("TRUE", "on", "yes", "1", "true ", " On"), "false", List.of("False", "off", "no", "0", "false "));

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(Leasehold.autoConfigurations())
		.withPropertyValues("leasehold.engine=local", "leasehold.wait-time=0s")
		.withBean(LocalLockEngine.class, SwitchesTests::unavailable)
		.withBean(Orders.class);

	@ParameterizedTest
	@MethodSource("switches")
	void eachSpellingHasTheSameEffect(String property) {
		Map<String, String> wrong = new TreeMap<>();
		SPELLINGS.forEach((value, spellings) -> {
			List<String> expected = facts(property, value);
			spellings.stream()
				.filter((spelling) -> !facts(property, spelling).equals(expected))
				.forEach((spelling) -> wrong.put(spelling, value));
		});
		assertThat(wrong).isEmpty();
	}

	static Stream<String> switches() throws Exception {
		LeaseholdMetadataTests.read();
		return LeaseholdMetadataTests.properties()
			.stream()
			.filter((property) -> Boolean.class.getName().equals(property.get("type")))
			.map((property) -> (String) property.get("name"))
			.filter((name) -> name.startsWith("leasehold."));
	}

	/** Return the beans, whether methods are locked, and why startup fails. */
	private List<String> facts(String property, String value) {
		List<String> facts = new ArrayList<>();
		this.runner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("switch", Map.of(property, value))))
			.run((context) -> facts.addAll(facts(context)));
		return facts;
	}

	private static List<String> facts(AssertableWebApplicationContext context) {
		Throwable failure = context.getStartupFailure();
		if (failure != null) {
			return List.of(failure.getClass().getName());
		}
		List<String> facts = new ArrayList<>(Arrays.asList(context.getBeanDefinitionNames()));
		facts.add("locked: " + AopUtils.isAopProxy(context.getBean(Orders.class)));
		return facts;
	}

	private static LocalLockEngine unavailable() {
		LocalLockEngine engine = new LocalLockEngine(MonotonicClock.SYSTEM);
		engine.faults().setDown(true);
		return engine;
	}

	static class Orders {

		@DistributedLock(key = "'order'")
		public void pay() {
		}

	}

}
