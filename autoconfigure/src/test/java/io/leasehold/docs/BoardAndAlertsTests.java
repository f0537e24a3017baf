package io.leasehold.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The files of the dashboard and of the alerts fit each other and the manual.
 * {@code -Dboard.write} writes the dashboard anew. {@link PrometheusIntegrationTests}
 * runs their queries.
 */
class BoardAndAlertsTests {

	private static final Path BOARD = Manual.file("docs/operations/dashboard.json");

	private static final Pattern METER = Pattern
		.compile("(?m)^\\| `(leasehold\\.[\\w.]+)` \\| (?:timer|gauge|counter)");

	private static final Pattern ALERT = Pattern.compile("- alert: (\\w+)");

	private static final Pattern RUNBOOK = Pattern
		.compile("runbook_url: https://github.com/leasehold/leasehold/blob/main/([\\w/.]+)#([\\w-]+)\n");

	private final String alerts = Manual.read(Manual.file("docs/operations/alerts.yml"));

	@Test
	void dashboardIsThatOfItsSource() throws IOException {
		if (System.getProperty("board.write") != null) {
			Files.writeString(BOARD, Dashboard.json());
		}
		assertThat(Manual.read(BOARD)).as("%s, written anew by -Dboard.write", BOARD).isEqualTo(Dashboard.json());
	}

	@Test
	void dashboardShowsEveryMeter() {
		List<String> meters = found(METER, Manual.read(Manual.file("docs/observability.md")));
		assertThat(meters).hasSizeGreaterThanOrEqualTo(15)
			.allSatisfy((meter) -> assertThat(Dashboard.json())
				.containsPattern("\\b" + meter.replace('.', '_') + "(_[a-z]+)*\\{"));
	}

	@Test
	void everyAlertPointsAtASymptomOfThePage() {
		List<MatchResult> runbooks = RUNBOOK.matcher(this.alerts).results().toList();
		assertThat(runbooks).hasSameSizeAs(found(ALERT, this.alerts))
			.allSatisfy((runbook) -> assertThat(Manual.page(runbook.group(1)).anchors()).contains(runbook.group(2)));
	}

	@Test
	void everyAlertIsRaisedByATest() {
		String tests = Manual.read(Manual.file("docs/operations/alerts-test.yml"));
		assertThat(found(ALERT, this.alerts)).isNotEmpty()
			.allSatisfy((alert) -> assertThat(tests).containsPattern("- labels: '\\{alertname=\"" + alert + "\""));
	}

	private static List<String> found(Pattern pattern, String text) {
		return pattern.matcher(text).results().map((match) -> match.group(1)).toList();
	}

}
