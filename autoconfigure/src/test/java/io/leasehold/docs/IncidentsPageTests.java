package io.leasehold.docs;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of staged incidents is that of the test that stages them, and its first
 * checks are those that the page names for the symptoms.
 */
class IncidentsPageTests {

	private final Page page = Manual.page("docs/operations/README.md");

	@Test
	void tableIsThatOfTheTest() {
		assertThat(rows(this.page, "staged-incidents"))
			.containsExactlyElementsOf(incidents().map(Incident::row).toList());
	}

	@Test
	void tableInChineseHasTheSameCode() {
		assertThat(rows(Manual.page("docs/zh/operations.md"), "演练过的故障")).extracting((row) -> Page.code(row).toList())
			.containsExactlyElementsOf(incidents().map((incident) -> Page.code(incident.row()).toList()).toList());
	}

	@ParameterizedTest
	@EnumSource
	void firstCheckIsThatOfTheSymptom(Incident incident) {
		String symptom = this.page.prose()
			.stream()
			.filter((line) -> line.endsWith("[below](#" + incident.section() + ") |"))
			.findFirst()
			.orElseThrow() + this.page.sections().get(incident.section());
		String check = incident.isRequest()
				? "localhost:8080" + incident.firstCheck().replace("/locks/redis?", "/locks/jdbc?")
				: incident.firstCheck();
		assertThat(symptom).containsPattern("\\Q" + check + "\\E(?![/?])");
	}

	private static Stream<Incident> incidents() {
		return Stream.of(Incident.values());
	}

	private static List<String> rows(Page page, String section) {
		return page.sections().get(section).lines().filter((line) -> line.startsWith("| [")).toList();
	}

}
