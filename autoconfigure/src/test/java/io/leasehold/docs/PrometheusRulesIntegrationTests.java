package io.leasehold.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Prometheus' own tool accepts the alerts, and raises each in its fault, minute by minute
 * in its own time.
 */
class PrometheusRulesIntegrationTests {

	private static final Path FOLDER = Manual.file("docs/operations");

	@ParameterizedTest
	@CsvSource({ "check, alerts.yml", "test, alerts-test.yml" })
	void toolFindsNoFault(String command, String file) throws IOException {
		Process tool = new ProcessBuilder("promtool", command, "rules", file).directory(FOLDER.toFile())
			.redirectErrorStream(true)
			.start();
		String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(tool.onExit().join().exitValue()).as(output).isZero();
	}

}
