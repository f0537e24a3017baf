package io.leasehold.docs;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Classes stay short enough to be read at once. The limit is also in
 * {@code CONTRIBUTING.md}. Tests have none.
 */
class SourceLengthTests {

	private static final long MOST_LINES = 320;

	/** Limit of a class with one monitor that guards the state of several others. */
	private static final long MOST_LINES_OF_A_MONITOR = 450;

	private static final Set<String> MONITORS = Set.of("KeyGate.java");

	private static final List<String> MODULES = List.of("autoconfigure", "samples/flash-sale", "samples/toy-engine",
			"docs/benchmarks");

	private final Map<String, Long> lines = Manual.files((name) -> name.matches(".+/src/main/java/.+\\.java"))
		.collect(Collectors.toMap(Manual::nameOf, (file) -> Manual.read(file).lines().count()));

	@Test
	void noSourceOfMainCodeIsLong() {
		assertThat(this.lines)
			.allSatisfy((name, count) -> assertThat(count).as(name).isLessThanOrEqualTo(mostLinesOf(name)));
	}

	private static long mostLinesOf(String name) {
		return MONITORS.contains(name.substring(name.lastIndexOf('/') + 1)) ? MOST_LINES_OF_A_MONITOR : MOST_LINES;
	}

	@Test
	void sourcesOfAllModulesAreChecked() {
		assertThat(MODULES).allSatisfy((module) -> assertThat(this.lines.keySet())
			.anyMatch((name) -> name.startsWith(module + "/src/main/java/")));
		assertThat(Manual.read(Manual.file("CONTRIBUTING.md"))).contains("at most " + MOST_LINES + " lines")
			.contains("and " + MOST_LINES_OF_A_MONITOR + " if");
	}

}
