package io.leasehold.docs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NamedTestsTests {

	private static final Pattern NAME = Pattern.compile("([A-Z][a-z0-9]\\w*(?:Tests|Contract))(?:\\.(\\w+))?");

	private final Map<String, List<Path>> sources = Manual
		.files((name) -> name.matches(".*/src/test/.*(Tests|Contract)\\.java"))
		.collect(Collectors.groupingBy((file) -> file.getFileName().toString().replace(".java", "")));

	@Test
	void everyTestThatTheManualNamesIsThere() {
		List<String> unknown = new ArrayList<>();
		int count = 0;
		for (Page page : Manual.pages()) {
			for (String code : page.code()) {
				var name = NAME.matcher(code);
				if (name.matches()) {
					count++;
					if (!isThere(name.group(1), name.group(2))) {
						unknown.add(page + ": " + code);
					}
				}
			}
		}
		assertThat(count).isPositive();
		assertThat(unknown).isEmpty();
	}

	/** Except the contracts that users extend. */
	@Test
	void pagesForUsersNameNoTests() {
		List<String> named = new ArrayList<>();
		for (Page page : Manual.pages()) {
			if (page.name().matches("README.*\\.md|docs/(?!design/|(zh/)?guarantees\\b).*")) {
				page.code()
					.stream()
					.filter((code) -> NAME.matcher(code).matches() && !isPublished(code))
					.forEach((code) -> named.add(page + ": " + code));
			}
		}
		assertThat(named).isEmpty();
	}

	@Test
	void everyTestHasANameOfItsOwn() {
		assertThat(this.sources.values()).isNotEmpty().allSatisfy((files) -> assertThat(files).hasSize(1));
	}

	private boolean isPublished(String type) {
		return this.sources.getOrDefault(type, List.of())
			.stream()
			.anyMatch((file) -> Manual.nameOf(file).contains("/io/leasehold/test/contract/"));
	}

	private boolean isThere(String type, @Nullable String method) {
		List<Path> files = this.sources.getOrDefault(type, List.of());
		return files.stream()
			.map(Manual::read)
			.anyMatch((source) -> method == null || source.contains("void " + method + "("));
	}

}
