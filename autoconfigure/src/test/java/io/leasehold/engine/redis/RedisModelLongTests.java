package io.leasehold.engine.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the model of the scripts and the client ({@code model/handoff.pml}) by Spin, as
 * {@code model/runs.txt} lists it. Needs {@code spin} and {@code gcc}, and 6 GB of
 * memory.
 */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class RedisModelLongTests {

	private static final Pattern RUN = Pattern
		.compile("(?<kind>holds|finds) ((?<property>[A-Z_]+), )?(?<name>[^:]+): (?<switches>-.+)");

	@TempDir
	Path directory;

	@ParameterizedTest
	@MethodSource("sound")
	void noPropertyIsViolated(Run run) throws Exception {
		assertThat(check(run)).contains("errors: 0")
			.doesNotContain("Search not completed", "max search depth too small");
	}

	@ParameterizedTest
	@MethodSource("mistaken")
	void mistakeViolatesItsProperty(Run run) throws Exception {
		assertThat(check(run)).containsPattern("assertion violated +!\\(" + run.property + "\\)");
	}

	static List<Run> sound() {
		return runs("holds");
	}

	static List<Run> mistaken() {
		return runs("finds");
	}

	private static List<Run> runs(String kind) {
		List<Run> runs = new ArrayList<>();
		for (String line : text("runs.txt").split("\n")) {
			if (!line.isBlank() && !line.startsWith("#")) {
				Matcher parts = RUN.matcher(line);
				assertThat(parts.matches()).as(line).isTrue();
				if (parts.group("kind").equals(kind)) {
					runs.add(new Run(parts.group("property"), parts.group("name"), parts.group("switches").split(" ")));
				}
			}
		}
		return runs;
	}

	private String check(Run run) throws Exception {
		for (String file : List.of("handoff.pml", "scripts.pml")) {
			Files.writeString(this.directory.resolve(file), text(file));
		}
		List<String> spin = Stream.of(Stream.of("spin", "-a"), Stream.of(run.switches), Stream.of("handoff.pml"))
			.flatMap((words) -> words)
			.toList();
		execute(spin);
		execute(List.of("gcc", "-O2", "-w", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=6000", "-o", "pan", "pan.c"));
		return execute(List.of("./pan", "-m1000000"));
	}

	private String execute(List<String> command) throws IOException, InterruptedException {
		Path output = this.directory.resolve("output");
		Process process = new ProcessBuilder(command).directory(this.directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			int exit = process.waitFor();
			String text = Files.readString(output);
			assertThat(exit).as("%s: %s", command, text).isZero();
			return text;
		}
		finally {
			process.destroyForcibly();
		}
	}

	private static String text(String file) {
		try (InputStream stream = RedisModelLongTests.class.getResourceAsStream("model/" + file)) {
			return new String(Objects.requireNonNull(stream).readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A line of the list.
	 *
	 * @param property what the run violates, if it is to
	 * @param name what it is about
	 * @param switches of the model
	 */
	record Run(String property, String name, String[] switches) {

		@Override
		public String toString() {
			return this.name;
		}

	}

}
