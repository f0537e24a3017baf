package io.leasehold.docs;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Classes stay short enough to be read at once. The limit is also in
 * {@code CONTRIBUTING.md}. Tests have none.
 */
class SourceLengthTests {

	private static final long MOST_LINES = 320;

	private static final List<String> MODULES = List.of("autoconfigure", "samples/flash-sale", "samples/toy-engine",
			"docs/benchmarks");

	private final Map<String, Long> lines = Manual.files((name) -> name.matches(".+/src/main/java/.+\\.java"))
		.collect(Collectors.toMap(Manual::nameOf, (file) -> Manual.read(file).lines().count()));

	@Test
	void noSourceOfMainCodeIsLong() {
		assertThat(this.lines).allSatisfy((name, count) -> assertThat(count).as(name).isLessThanOrEqualTo(MOST_LINES));
	}

	@Test
	void sourcesOfAllModulesAreChecked() {
		assertThat(MODULES).allSatisfy((module) -> assertThat(this.lines.keySet())
			.anyMatch((name) -> name.startsWith(module + "/src/main/java/")));
		assertThat(Manual.read(Manual.file("CONTRIBUTING.md"))).contains("at most " + MOST_LINES + " lines");
	}

}
