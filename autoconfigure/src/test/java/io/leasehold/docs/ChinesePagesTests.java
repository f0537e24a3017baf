package io.leasehold.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Chinese pages follow the English ones. {@code -Dchinese.write} marks them as
 * translations of the present English pages.
 */
class ChinesePagesTests {

	private final List<Translation> pages = Translation.all();

	@Test
	void noEnglishPageHasChangedSinceItsTranslation() throws IOException {
		if (System.getProperty("chinese.write") != null) {
			for (Translation translation : this.pages) {
				Files.writeString(translation.page().file(), translation.stamped());
			}
		}
		assertThat(Translation.all()).isNotEmpty();
		assertThat(Translation.all()).flatExtracting(Translation::outdated)
			.as("changes to translate, before you run this test with -Dchinese.write")
			.isEmpty();
	}

	/** Comments are translated. */
	@Test
	void codeBlocksAreThoseOfTheEnglishPage() {
		assertThat(this.pages).flatExtracting(Translation::inventedBlocks).isEmpty();
	}

	/** Names and defaults of properties, attributes, meters and exceptions. */
	@Test
	void tablesHaveTheRowsOfTheEnglishPage() {
		assertThat(this.pages).flatExtracting(Translation::missingRows).isEmpty();
	}

	@Test
	void codeInTheTextIsOnAnEnglishPage() {
		List<Page> translations = this.pages.stream().map(Translation::page).toList();
		String english = Manual.pages()
			.stream()
			.filter((page) -> !translations.contains(page))
			.map((page) -> String.join(" ", page.prose()))
			.collect(Collectors.joining(" "))
			.replaceAll("\\s+", " ");
		assertThat(translations)
			.flatExtracting((page) -> page.code()
				.stream()
				.filter((code) -> !english.contains("`" + code + "`"))
				.map((code) -> page + ": " + code)
				.toList())
			.isEmpty();
	}

}
