package io.leasehold.docs;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class EnginePagesTests {

	@ParameterizedTest
	@ValueSource(strings = { "jdbc", "local", "redis", "zookeeper" })
	void pagesOfEnginesHaveTheSameHeadings(String engine) {
		assertThat(Manual.page("docs/engines/%s.md".formatted(engine)).headings(2)).containsExactly("How it works",
				"What it promises", "What it does not promise", "Configuration", "Sizing");
	}

}
