package io.leasehold.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.leasehold.transaction.CommitGuard;
import jakarta.persistence.EntityManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a native image has the scripts and schemas which engines read.
 */
class LeaseholdRuntimeHintsTests {

	private static final String ROOT = "io/leasehold/";

	@ParameterizedTest
	@MethodSource("resources")
	void resourceIsThere(String resource) {
		RuntimeHints hints = new RuntimeHints();
		new ResourceHints().registerHints(hints, null);
		assertThat(hints).matches(RuntimeHintsPredicates.resource().forResource(resource));
	}

	@Test
	void methodThatRollsBackIsThere() throws Exception {
		RuntimeHints hints = new RuntimeHints();
		new CommitGuard.RollbackHints().registerHints(hints, null);
		assertThat(hints).matches(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(AbstractPlatformTransactionManager.class.getDeclaredMethod("doRollback",
					DefaultTransactionStatus.class)));
	}

	/** A native image finds only registered types by name. */
	@ParameterizedTest
	@ValueSource(classes = { JdbcTransactionObjectSupport.class, JpaTransactionManager.class, EntityManager.class })
	void typeThatTheCommitGuardQueriesIsThere(Class<?> queried) {
		RuntimeHints hints = new RuntimeHints();
		new CommitGuard.RollbackHints().registerHints(hints, getClass().getClassLoader());
		assertThat(hints).matches(RuntimeHintsPredicates.reflection().onType(queried));
	}

	@Test
	void descriptionOfTheEnginesIsThere() {
		RuntimeHints hints = new RuntimeHints();
		new ResourceHints().registerHints(hints, null);
		assertThat(hints).matches(RuntimeHintsPredicates.resource().forResource(KnownEngine.LOCATION));
		assertThat(getClass().getClassLoader().getResource(KnownEngine.LOCATION)).isNotNull();
	}

	@Test
	void thereAreResourcesAtAll() throws Exception {
		assertThat(resources()).contains(ROOT + "engine/redis/acquire.lua",
				ROOT + "engine/jdbc/migration/changelog.yaml");
	}

	static Stream<String> resources() throws Exception {
		List<Resource> found = new ArrayList<>();
		for (String place : List.of("engine", "transaction")) {
			found.addAll(List.of(new PathMatchingResourcePatternResolver()
				.getResources("classpath*:%s%s/**/*.*".formatted(ROOT, place))));
		}
		return found.stream()
			.filter((resource) -> !resource.toString().contains("test-classes"))
			.map(LeaseholdRuntimeHintsTests::path)
			.filter((path) -> !path.endsWith(".class"))
			.distinct();
	}

	private static String path(Resource resource) {
		String description = resource.toString().replace('\\', '/');
		String path = description.substring(description.indexOf(ROOT));
		return path.substring(0, path.length() - 1);
	}

}
