package io.leasehold.docs;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ConfigurationPageTests {

	private static final String PAGE = "docs/configuration.md";

	private static final String CHINESE_PAGE = "docs/zh/configuration.md";

	private final Metadata metadata = new Metadata();

	@Test
	void everyPropertyHasItsRowAndNoOtherHasOne() {
		List<String> rows = rows(PAGE);
		List<String> expected = this.metadata.ours()
			.stream()
			.map((property) -> start(property) + property.description() + " |")
			.toList();
		assertThat(expected).as("rows to add to %s", PAGE).filteredOn((row) -> !rows.contains(row)).isEmpty();
		assertThat(rows).as("rows to remove from %s", PAGE).filteredOn((row) -> !expected.contains(row)).isEmpty();
	}

	@Test
	void everyPropertyHasItsRowInChineseAndNoOtherHasOne() {
		List<String> rows = rows(CHINESE_PAGE);
		List<String> expected = this.metadata.ours().stream().map(ConfigurationPageTests::start).toList();
		assertThat(rows).filteredOn((row) -> !row.matches(".*\\p{IsHan}[^|]*\\|")).as("not described").isEmpty();
		assertThat(rows).extracting((row) -> row.replaceFirst("[^|]+\\|$", " "))
			.as("rows of %s", CHINESE_PAGE)
			.containsExactlyInAnyOrderElementsOf(expected);
	}

	@Test
	void everyPropertyAndMeterThatTheManualNamesIsThere() {
		Set<String> unknown = new TreeSet<>();
		String code = Manual.files((name) -> name.matches("autoconfigure/src/main/java/.*\\.java"))
			.map(Manual::read)
			.collect(Collectors.joining());
		for (Page page : Manual.pages()) {
			page.code()
				.stream()
				.filter((property) -> property.matches("leasehold\\.[a-z.-]+(: .*|=.*)?"))
				.map((property) -> property.replaceFirst("(: |=).*", ""))
				.filter((name) -> this.metadata.find(name) == null && !code.contains("\"" + name + "\""))
				.forEach((name) -> unknown.add(page + ": " + name));
		}
		assertThat(unknown).isEmpty();
	}

	private static List<String> rows(String page) {
		return Manual.page(page).prose().stream().filter((line) -> line.startsWith("| `")).toList();
	}

	/** The row of a property up to its description. */
	private static String start(Metadata.Property property) {
		String value = (property.defaultValue() != null) ? "`" + property.defaultValue() + "`" : "";
		return "| `%s` | %s | %s | ".formatted(property.name(), property.shortType(), value);
	}

}
