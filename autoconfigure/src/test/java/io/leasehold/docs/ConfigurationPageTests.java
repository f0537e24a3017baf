package io.leasehold.docs;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ConfigurationPageTests {

	private static final String PAGE = "docs/configuration.md";

	private final Metadata metadata = new Metadata();

	@Test
	void everyPropertyHasItsRowAndNoOtherHasOne() {
		List<String> rows = Manual.page(PAGE).prose().stream().filter((line) -> line.startsWith("| `")).toList();
		List<String> expected = this.metadata.ours().stream().map(ConfigurationPageTests::row).toList();
		assertThat(expected).as("rows to add to %s", PAGE).filteredOn((row) -> !rows.contains(row)).isEmpty();
		assertThat(rows).as("rows to remove from %s", PAGE).filteredOn((row) -> !expected.contains(row)).isEmpty();
	}

	@Test
	void everyPropertyThatTheManualNamesIsThere() {
		Set<String> unknown = new TreeSet<>();
		Set<String> meters = new TreeSet<>(Manual.page("docs/observability.md").code());
		for (Page page : Manual.pages()) {
			page.code()
				.stream()
				.filter((code) -> code.matches("leasehold\\.[a-z.-]+(: .*|=.*)?"))
				.map((code) -> code.replaceFirst("(: |=).*", ""))
				.filter((name) -> this.metadata.find(name) == null && !meters.contains(name))
				.forEach((name) -> unknown.add(page + ": " + name));
		}
		assertThat(unknown).isEmpty();
	}

	private static String row(Metadata.Property property) {
		String value = (property.defaultValue() != null) ? "`" + property.defaultValue() + "`" : "";
		return "| `%s` | %s | %s | %s |".formatted(property.name(), property.shortType(), value,
				property.description());
	}

}
