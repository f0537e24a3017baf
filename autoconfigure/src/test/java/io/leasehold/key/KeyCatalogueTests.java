package io.leasehold.key;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.JvmProcess;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A key means the same in every process, or it is refused: evaluates the
 * {@link KeyCatalogue} in two JVMs with other time zones, languages and hash codes.
 */
class KeyCatalogueTests {

	private final List<String> problems = new ArrayList<>();

	@Fault({ 72, 73, 129, 171 })
	@Test
	void keyIsTheSameInEveryProcessOrRefused() {
		try (JvmProcess one = start("America/St_Johns", "en", "US", 5);
				JvmProcess two = start("Asia/Kolkata", "ar", "EG", 0)) {
			for (KeyCatalogue.Row row : KeyCatalogue.rows()) {
				row.forms().forEach((expression, form) -> check(row, expression, form, one, two));
			}
			one.expect("end");
			two.expect("end");
		}
		assertThat(this.problems).isEmpty();
	}

	private static JvmProcess start(String zone, String language, String country, int hashes) {
		return JvmProcess.start(KeyCatalogueProcess.class, List.of(),
				KeyCatalogueProcess.options(zone, language, country, hashes));
	}

	private void check(KeyCatalogue.Row row, String expression, KeyCatalogue.Form form, JvmProcess... processes) {
		String key = form.prefix() + row.expected() + form.suffix();
		for (JvmProcess process : processes) {
			for (int i = 0; i < 2; i++) {
				String found = process.expect("=");
				boolean refused = found.startsWith(KeyCatalogueProcess.REFUSED);
				boolean right = row.refused() ? refused && found.contains(row.expected()) : found.equals(key);
				report(right, row, expression, found);
			}
			if (row.other() != null) {
				String found = process.expect("=");
				report(!found.equals(key) && !found.startsWith(KeyCatalogueProcess.REFUSED), row, expression,
						"another value: " + found);
			}
		}
	}

	private void report(boolean right, KeyCatalogue.Row row, String expression, String found) {
		if (!right) {
			this.problems.add("%s in \"%s\": %s".formatted(row.name(), expression, found));
		}
	}

}
