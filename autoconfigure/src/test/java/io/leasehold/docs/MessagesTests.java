package io.leasehold.docs;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The messages that the troubleshooting page explains are those of the code, with
 * {@code …} for what differs. The page in Chinese explains the same ones.
 */
class MessagesTests {

	/** Conversions that use the digits of the default locale, such as those of ar-EG. */
	private static final Pattern LOCAL_DIGITS = Pattern.compile("%(\\d+\\$)?[-#+ 0,(]*\\d*(\\.\\d+)?[defgt]");

	private final List<String> sources = Manual.files((name) -> name.matches("autoconfigure/src/main/java/.*\\.java"))
		.map(Manual::read)
		.toList();

	private final String code = this.sources.stream()
		.map((source) -> source.replaceAll("\"\\s*\\+\\s*\"", "")
			.replaceAll("%s|\" \\+ \\w[\\w.() ]* \\+ \"", "…")
			.replace("\\\"", "\""))
		.collect(Collectors.joining());

	@Test
	void everyMessageIsInTheCode() {
		List<String> messages = messages("docs/troubleshooting.md");
		assertThat(messages).isNotEmpty();
		assertThat(messages).filteredOn((message) -> !this.code.contains(message)).isEmpty();
		assertThat(messages("docs/zh/troubleshooting.md")).isEqualTo(messages);
	}

	private static List<String> messages(String page) {
		return Manual.page(page).blocks("text").stream().map((block) -> String.join(" ", block.lines())).toList();
	}

	/** Monitoring searches for them. */
	@Test
	void numbersInTextsHaveTheSameDigitsInEveryLocale() {
		assertThat(LOCAL_DIGITS.matcher("waited %,d ms").find()).isTrue();
		assertThat(this.sources.stream().flatMap(String::lines)).filteredOn((line) -> LOCAL_DIGITS.matcher(line).find())
			.isEmpty();
	}

}
