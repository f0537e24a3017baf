package io.leasehold.docs;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ModifierSupport;
import org.junit.platform.commons.support.ReflectionSupport;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.cas.CompareAndSetStore;
import io.leasehold.test.contract.LockEngineContract;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each class of tests belongs to one of two groups: the default, or those that the
 * profile "full" adds, which have the tag of that name.
 */
class TestGroupsTests {

	private static final String FULL = "full";

	private static final Set<String> IN_MEMORY = Set.of("local", "cas");

	private final List<Class<?>> tests = classes(TestGroupsTests.class, "[^$]*Tests").toList();

	@Test
	void eachClassIsInOneGroup() {
		assertThat(this.tests).anyMatch((type) -> named(type, ".*IntegrationTests"));
		assertThat(this.tests).allSatisfy((type) -> {
			assertThat(AnnotationSupport.findRepeatableAnnotations(type, Tag.class)).extracting(Tag::value)
				.isSubsetOf(FULL);
			assertThat(ReflectionSupport.findMethods(type, (method) -> AnnotationSupport.isAnnotated(method, Tag.class),
					HierarchyTraversalMode.TOP_DOWN))
				.isEmpty();
			assertThat(type.getDeclaredClasses()).noneMatch((nested) -> nested.isAnnotationPresent(Tag.class));
		});
	}

	@Test
	void defaultHasTheContractOfEachEngineOnce() {
		Map<String, List<String>> expected = new TreeMap<>();
		classes(LockEngine.class, "io\\.leasehold\\.engine\\.\\w+\\.\\w+").filter(TestGroupsTests::isEngine)
			.map(TestGroupsTests::engine)
			.forEach((engine) -> expected.put(engine,
					List.of(IN_MEMORY.contains(engine) ? "without a server" : "on a server")));
		Map<String, List<String>> contracts = this.tests.stream()
			.filter((type) -> LockEngineContract.class.isAssignableFrom(type) && !isFull(type))
			.filter(ModifierSupport::isNotAbstract)
			.collect(Collectors.groupingBy(TestGroupsTests::engine, TreeMap::new,
					Collectors.mapping((type) -> named(type, ".*IntegrationTests") ? "on a server" : "without a server",
							Collectors.toList())));
		assertThat(contracts).isEqualTo(expected).hasSizeGreaterThan(IN_MEMORY.size());
	}

	@Test
	void variantsDisturbancesAndProofsAreFull() {
		Set<String> others = new TreeSet<>();
		this.tests.stream()
			.filter((type) -> named(type,
					"(MySql|MariaDb|Soak|.*Load|.*ClockJump|.*Restart|.*Disturbances|.*Killed|.*Partition).*IntegrationTests|.*IsProvenTests"))
			.filter((type) -> !isFull(type) && ModifierSupport.isNotAbstract(type))
			.forEach((type) -> others.add(type.getName()));
		assertThat(others).isEmpty();
	}

	@Test
	void continuousIntegrationRunsEachGroupOnce() {
		assertThat(Manual.read(Manual.file("pom.xml"))).containsOnlyOnce("<excludedGroups>" + FULL + "<");
		assertThat(Manual.read(Manual.file(".ci/run")).lines()).containsOnlyOnce("mvn -B -ntp verify < /dev/null")
			.filteredOn((line) -> line.matches("mvn .* -Pfull -Dgroups=" + FULL + " .*"))
			.hasSize(1)
			.allMatch((line) -> line.contains("-pl autoconfigure "));
	}

	@Test
	void onlyTheLibraryHasBothGroups() {
		assertThat(Manual.files((name) -> name.endsWith("Tests.java") && !name.startsWith("autoconfigure/")))
			.isNotEmpty()
			.noneMatch((file) -> Manual.read(file).contains("@Tag("));
	}

	private static boolean isEngine(Class<?> type) {
		return !type.isInterface()
				&& (LockEngine.class.isAssignableFrom(type) || CompareAndSetStore.class.isAssignableFrom(type));
	}

	/** Return the last part of the name of the engine's package. */
	private static String engine(Class<?> type) {
		return type.getPackageName().replaceFirst(".*\\.", "");
	}

	private static boolean isFull(Class<?> type) {
		return type.isAnnotationPresent(Tag.class);
	}

	private static boolean named(Class<?> type, String pattern) {
		return type.getSimpleName().matches(pattern);
	}

	/** Return the top-level classes that are compiled together with a class. */
	private static Stream<Class<?>> classes(Class<?> neighbour, String names) {
		try {
			Path root = Path.of(neighbour.getProtectionDomain().getCodeSource().getLocation().toURI());
			try (Stream<Path> files = Files.walk(root)) {
				return files.map((file) -> root.relativize(file).toString().replaceAll("[/\\\\]", "."))
					.filter((file) -> file.matches(names + "\\.class"))
					.<Class<?>>map((file) -> load(file.replaceFirst("\\.class$", "")))
					.toList()
					.stream();
			}
		}
		catch (IOException | URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Class<?> load(String name) {
		return ReflectionSupport.tryToLoadClass(name).getNonNullOrThrow(IllegalStateException::new);
	}

}
