package io.leasehold.docs;

import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The messages that the troubleshooting page explains are those of the code, with
 * {@code …} for what differs.
 */
class MessagesTests {

	private final String code = Manual.files((name) -> name.matches("autoconfigure/src/main/java/.*\\.java"))
		.map(Manual::read)
		.map((source) -> source.replaceAll("\"\\s*\\+\\s*\"", "")
			.replaceAll("%[sd]|\" \\+ \\w[\\w.() ]* \\+ \"", "…")
			.replace("\\\"", "\""))
		.collect(Collectors.joining());

	@Test
	void everyMessageIsInTheCode() {
		List<String> messages = Manual.page("docs/troubleshooting.md")
			.blocks("text")
			.stream()
			.map((block) -> String.join(" ", block.lines()))
			.toList();
		assertThat(messages).isNotEmpty();
		assertThat(messages).filteredOn((message) -> !this.code.contains(message)).isEmpty();
	}

}
