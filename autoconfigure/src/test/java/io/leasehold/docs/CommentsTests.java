package io.leasehold.docs;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Comments stand before the lines that they explain. The formatter cuts a longer comment
 * at the end of a line into pieces of a word or two.
 */
class CommentsTests {

	private static final Pattern CUT = Pattern.compile("(?m)^(\\t*)\\S.* // .*\\n\\1\\t{3,}// .*");

	@Test
	void noCommentIsCutIntoPieces() {
		List<Path> sources = Manual.files((name) -> name.matches(".+/src/(main|test)/java/.+\\.java")).toList();
		assertThat(sources).hasSizeGreaterThan(1000);
		assertThat(sources.stream().filter((file) -> CUT.matcher(Manual.read(file)).find()).map(Manual::nameOf))
			.isEmpty();
	}

}
