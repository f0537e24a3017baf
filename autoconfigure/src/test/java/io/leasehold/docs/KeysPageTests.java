package io.leasehold.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.leasehold.key.KeyCatalogue;
import io.leasehold.key.KeyCatalogue.Row;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keeps the table of values in keys true. {@code -Dkeys.write} writes it anew.
 */
class KeysPageTests {

	private static final Path PAGE = Manual.file("docs/guarantees/keys.md");

	private static final String START = "<!-- generated -->\n";

	@Test
	void tablesAreThoseOfTheCatalogue() throws IOException {
		String written = Manual.read(PAGE);
		String made = written.substring(0, written.indexOf(START)) + START + tables();
		if (System.getProperty("keys.write") != null) {
			Files.writeString(PAGE, made);
		}
		assertThat(Manual.read(PAGE)).as("%s, written anew by -Dkeys.write", PAGE).isEqualTo(made);
	}

	/** Rows with the same outcome share a line. */
	private static String tables() {
		Map<String, Map<String, Set<String>>> tables = new LinkedHashMap<>();
		for (Row row : KeyCatalogue.rows()) {
			tables.computeIfAbsent(row.group(), (group) -> new LinkedHashMap<>())
				.computeIfAbsent(outcome(row), (outcome) -> new LinkedHashSet<>())
				.add(name(row));
		}
		StringBuilder page = new StringBuilder();
		tables.forEach((group, lines) -> {
			page.append("\n## ").append(group).append("\n\n| value | result |\n|---|---|\n");
			lines
				.forEach((outcome, names) -> page.append("| %s | %s |\n".formatted(String.join(", ", names), outcome)));
		});
		return page.toString();
	}

	private static String outcome(Row row) {
		return row.refused() ? "rejected: *… %s …*".formatted(row.expected()) : "`" + row.expected() + "`";
	}

	private static String name(Row row) {
		return row.forms().containsKey(row.name()) ? "`" + row.name().strip() + "`" : row.name();
	}

}
