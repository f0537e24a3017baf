package io.leasehold.docs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.util.PatternMatchUtils;

import static org.assertj.core.api.Assertions.assertThat;

class MavenCommandsTests {

	private static final Set<String> GOALS = Set.of("clean", "compile", "test", "package", "verify", "install",
			"spring-javaformat:apply", "test-compile", "deploy", "deploy:deploy", "versions:set", "surefire:test",
			"org.pitest:pitest-maven:mutationCoverage", "org.openrewrite.maven:rewrite-maven-plugin:6.46.1:run");

	private final String poms = Manual.files((name) -> name.endsWith("pom.xml"))
		.map(Manual::read)
		.collect(Collectors.joining());

	private final Set<String> tests = Manual.files((name) -> name.matches(".*(Tests|Contract)\\.(java|kt)"))
		.map((file) -> Manual.nameOf(file)
			.replaceFirst(".*/src/test/\\w+/", "")
			.replaceFirst("\\.\\w+$", "")
			.replace('/', '.'))
		.collect(Collectors.toSet());

	@Test
	void everyCommandNamesWhatIsThere() {
		List<String> commands = Manual.pages().stream().flatMap(MavenCommandsTests::commands).toList();
		List<String> faults = new ArrayList<>();
		for (String command : commands) {
			List<String> words = Arrays.asList(command.split(" +"));
			for (int i = 1; i < words.size(); i++) {
				if (!isThere(words.get(i - 1), words.get(i))) {
					faults.add("%s: %s".formatted(words.get(i), command));
				}
			}
		}
		assertThat(commands).isNotEmpty();
		assertThat(faults).isEmpty();
	}

	/** Commands of code blocks and of the text, those of other projects left out. */
	private static Stream<String> commands(Page page) {
		Stream<String> lines = Stream.concat(page.code().stream(),
				page.blocks()
					.stream()
					.flatMap((block) -> String.join("\n", block.lines()).replace("\\\n", " ").lines()));
		return lines.map((line) -> line.replaceFirst(" +#.*", "").replaceFirst("^\\$ ", ""))
			.flatMap((line) -> Arrays.stream(line.split(" && ")))
			.map(String::strip)
			.filter((line) -> line.startsWith("mvn ") && !line.contains("spring-boot:run"));
	}

	private boolean isThere(String before, String word) {
		if (before.equals("-pl")) {
			return Arrays.stream(word.split(",")).allMatch((module) -> this.poms.contains("<module>" + module + "<"));
		}
		if (word.matches("-D(it\\.)?test=.*")) {
			return Arrays.stream(word.replaceFirst("[^=]*=", "").replace("'", "").split(",")).allMatch(this::isATest);
		}
		if (word.startsWith("-P")) {
			return this.poms.contains("<id>" + word.substring(2) + "<");
		}
		if (word.startsWith("-Dspring-boot.version") || word.startsWith("-Dtarget.name")) {
			return this.poms.contains("<" + word.replaceAll("-D|=.*", "") + ">");
		}
		return word.startsWith("-") || GOALS.contains(word);
	}

	private boolean isATest(String pattern) {
		String name = pattern.replaceFirst("#.*", "");
		return name.equals("none") || this.tests.stream()
			.anyMatch((test) -> PatternMatchUtils.simpleMatch(new String[] { name, "*." + name }, test));
	}

}
