package io.leasehold.docs;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EnginePagesTests {

	@Test
	void pagesOfEnginesHaveTheSameHeadings() {
		assertThat(Manual.pages()).filteredOn((page) -> page.name().matches("docs/engines/[a-z]+\\.md"))
			.hasSizeGreaterThanOrEqualTo(4)
			.allSatisfy((page) -> assertThat(page.headings(2)).as("%s", page)
				.containsExactly("Mechanism", "Guarantees", "Limits", "Configuration", "Sizing"));
	}

}
