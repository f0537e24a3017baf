package io.leasehold.starter;

import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application on modules of Spring Boot has the same beans, the same advice and the
 * same outcomes with and without the starter. The starter is its jar, which contains the
 * order of the auto-configurations.
 */
class StarterChangesNothingIntegrationTests {

	/**
	 * Modules alone, and the usual combinations. Of "jdbc+h2", h2 is not a starter.
	 */
	private static final List<String> APPLICATIONS = List.of("", "actuator", "amqp+activemq", "aspectj+cache",
			"data-mongodb", "data-neo4j", "data-redis", "integration", "kafka", "mail+restclient+webclient", //
			"jdbc+h2", "data-jpa+h2", "data-r2dbc+r2dbc-h2", "batch-jdbc+quartz+h2", "flyway+data-jdbc+h2",
			"liquibase+jooq+h2", "session-jdbc+webmvc+h2", //
			"jdbc+kafka+h2", "jdbc+data-r2dbc+h2+r2dbc-h2", "aspectj+data-r2dbc+kafka+r2dbc-h2",
			"data-jpa+data-neo4j+h2", "data-jpa+data-redis+cache+h2",
			"webmvc+data-jpa+security+actuator+validation+websocket+h2",
			"webflux+data-r2dbc+security+actuator+graphql+r2dbc-h2");

	private static final Map<String, Object> PROPERTIES = Map.ofEntries(Map.entry("spring.main.banner-mode", "off"),
			Map.entry("logging.level.root", "off"), Map.entry("server.port", "0"),
			Map.entry("server.address", "127.0.0.1"),
			Map.entry("spring.kafka.producer.transaction-id-prefix", "probe-"),
			Map.entry("spring.kafka.bootstrap-servers", "127.0.0.1:1"),
			Map.entry("spring.kafka.producer.properties.max.block.ms", "100"),
			Map.entry("spring.neo4j.uri", "bolt://127.0.0.1:1"), Map.entry("spring.data.redis.port", "1"),
			Map.entry("spring.mail.host", "127.0.0.1"), Map.entry("spring.liquibase.change-log", "classpath:probe.sql"),
			Map.entry("spring.batch.job.enabled", "false"),
			Map.entry("spring.mongodb.uri", "mongodb://127.0.0.1:1/probe"));

	/**
	 * Types of the application's libraries that Leasehold's beans may have, besides
	 * callbacks. It adds a registry of locks only if the application has none.
	 */
	private static final Set<String> EXTENSIONS = Set.of("io.micrometer.core.instrument.binder.MeterBinder",
			"io.micrometer.core.instrument.config.MeterFilter", "io.micrometer.observation.ObservationHandler",
			"org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor",
			"org.springframework.boot.health.contributor.CompositeHealthContributor",
			"org.springframework.boot.health.contributor.HealthContributor",
			"org.springframework.boot.health.contributor.HealthContributors",
			"org.springframework.boot.jdbc.init.DatabaseInitializationProperties",
			"org.springframework.integration.support.locks.ExpirableLockRegistry",
			"org.springframework.integration.support.locks.LockRegistry",
			"org.springframework.integration.support.locks.RenewableLockRegistry");

	private static final Path BUILD = Path.of(System.getProperty("build.directory"));

	private static final Path STARTER = Path.of(System.getProperty("starter.jar"));

	private final Dependencies dependencies;

	/**
	 * Jars in the JVM's cache are shared: a class loader that is closed would close them
	 * under another one.
	 */
	@BeforeAll
	static void cacheNoJars() {
		URLConnection.setDefaultUseCaches("jar", false);
	}

	StarterChangesNothingIntegrationTests() throws Exception {
		this.dependencies = new Dependencies(BUILD);
	}

	/** Without it, two equal applications would be compared. */
	@BeforeAll
	static void starterIsBuilt() {
		assertThat(STARTER).isRegularFile();
	}

	@Test
	void eachDependencyIsPartOfAnApplication() {
		Set<String> used = new TreeSet<>(Set.of("spring-boot-starter-test"));
		APPLICATIONS.forEach((application) -> used.addAll(artifacts(application)));
		assertThat(used).containsAll(this.dependencies.direct());
	}

	@TestFactory
	@Execution(ExecutionMode.CONCURRENT)
	Stream<DynamicTest> beansAdviceAndOutcomesAreEqual() {
		String selected = System.getProperty("applications");
		return (selected.equals("all") ? APPLICATIONS.stream() : Stream.of(selected.split(",")))
			.map((application) -> DynamicTest.dynamicTest("spring-boot-starter-" + application,
					() -> compare(artifacts(application))));
	}

	private void compare(Set<String> artifacts) throws Exception {
		Set<URL> classPath = this.dependencies.classPath(artifacts);
		classPath.add(Dependencies.url(BUILD.resolve("test-classes")));
		try (URLClassLoader modules = new URLClassLoader(classPath.toArray(URL[]::new),
				ClassLoader.getPlatformClassLoader());
				URLClassLoader starter = new URLClassLoader(new URL[] { Dependencies.url(STARTER) }, modules)) {
			Map<String, List<String>> expected = start(modules, Map.of());
			List<String> differences = new ArrayList<>();
			for (Map<String, Object> variant : variants(artifacts)) {
				Map<String, List<String>> actual = start(starter, variant);
				differences.addAll(differences(variant.toString(), actual, expected));
				differences.addAll(rivals(variant.toString(), actual));
			}
			assertThat(differences).isEmpty();
		}
	}

	/**
	 * The order is the same if locks are disabled, so that not all applications need it.
	 */
	private static List<Map<String, Object>> variants(Set<String> artifacts) {
		boolean database = artifacts.contains("h2") && !artifacts.contains("r2dbc-h2");
		Map<String, Object> enabled = Map.of("leasehold.engine", database ? "jdbc" : "local");
		return (artifacts.contains("spring-boot-starter-actuator") || artifacts.size() == 2)
				? List.of(enabled, Map.of("leasehold.enabled", "false")) : List.of(enabled);
	}

	private static List<String> differences(String variant, Map<String, List<String>> actual,
			Map<String, List<String>> expected) {
		List<String> differences = new ArrayList<>();
		expected.forEach((fact, values) -> {
			String first = firstDifference(actual.get(fact), values);
			if (first != null && !fact.equals("foreign types")) {
				differences.add("%s, %s: %s".formatted(variant, fact, first));
			}
		});
		return differences;
	}

	/** Return the types by which an application would inject a bean of Leasehold, too. */
	private static List<String> rivals(String variant, Map<String, List<String>> actual) {
		return actual.get("foreign types")
			.stream()
			.filter((type) -> !type.matches("org\\.(aopalliance|springframework\\.(aop|beans|context|core))\\..*"))
			.filter((type) -> !EXTENSIONS.contains(type))
			.map((type) -> "%s: a bean of Leasehold is a %s".formatted(variant, type))
			.toList();
	}

	private static String firstDifference(List<String> actual, List<String> expected) {
		if (actual.equals(expected)) {
			return null;
		}
		List<String> missing = expected.stream().filter((value) -> !actual.contains(value)).toList();
		List<String> added = actual.stream().filter((value) -> !expected.contains(value)).toList();
		if (missing.isEmpty() && added.isEmpty()) {
			int at = IntStream.range(0, actual.size())
				.filter((index) -> !actual.get(index).equals(expected.get(index)))
				.findFirst()
				.orElse(0);
			return "in place of '%s' comes '%s'".formatted(expected.get(at), actual.get(at));
		}
		return "missing: %s, added: %s".formatted(missing, added);
	}

	@SuppressWarnings("unchecked")
	private static Map<String, List<String>> start(ClassLoader classLoader, Map<String, Object> properties)
			throws Exception {
		Map<String, Object> all = new LinkedHashMap<>(PROPERTIES);
		all.putAll(properties);
		ClassLoader before = Thread.currentThread().getContextClassLoader();
		Thread.currentThread().setContextClassLoader(classLoader);
		try {
			var probe = (Function<Map<String, Object>, Map<String, List<String>>>) classLoader
				.loadClass("io.leasehold.starter.probe.Probe")
				.getConstructor()
				.newInstance();
			return probe.apply(all);
		}
		finally {
			Thread.currentThread().setContextClassLoader(before);
		}
	}

	private static Set<String> artifacts(String application) {
		Set<String> artifacts = new LinkedHashSet<>(Set.of("spring-boot-starter"));
		Stream.of(application.split("\\+"))
			.filter((part) -> !part.isEmpty())
			.map((part) -> part.endsWith("h2") ? part : "spring-boot-starter-" + part)
			.forEach(artifacts::add);
		return artifacts;
	}

}
