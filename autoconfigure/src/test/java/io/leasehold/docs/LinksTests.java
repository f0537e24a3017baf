package io.leasehold.docs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LinksTests {

	@Test
	void everyLinkLeadsToAFileAndAHeading() {
		List<String> broken = new ArrayList<>();
		for (Page page : Manual.pages()) {
			for (String link : page.links()) {
				if (!link.matches("[a-z]+:.*") && !leadsSomewhere(page, link)) {
					broken.add("%s -> %s".formatted(page, link));
				}
			}
		}
		assertThat(broken).isEmpty();
	}

	@Test
	void everyPageOfTheManualIsLinkedFromAnother() {
		List<Path> linked = new ArrayList<>();
		for (Page page : Manual.pages()) {
			page.links()
				.stream()
				.filter((link) -> !link.matches("[a-z]+:.*|#.*"))
				.map((link) -> target(page, link))
				.filter((target) -> !target.equals(page.file()))
				.forEach(linked::add);
		}
		assertThat(Manual.pages()).filteredOn((page) -> page.name().startsWith("docs/"))
			.isNotEmpty()
			.allSatisfy((page) -> assertThat(linked).as("links to %s", page).contains(page.file()));
	}

	private static boolean leadsSomewhere(Page page, String link) {
		Path target = link.startsWith("#") ? page.file() : target(page, link);
		int hash = link.indexOf('#');
		return Files.exists(target) && (hash < 0 || Page.read(target).anchors().contains(link.substring(hash + 1)));
	}

	private static Path target(Page page, String link) {
		return page.file().resolveSibling(link.replaceFirst("#.*", "")).normalize();
	}

}
