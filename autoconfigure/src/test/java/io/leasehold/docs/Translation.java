package io.leasehold.docs;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A translated page. The comment at its beginning names the English pages, and the
 * sections of them that it translates, each with a digest of its text.
 *
 * @param page the translated page
 * @param sources the English pages
 * @param translated lines of the comment: a section and its digest
 */
record Translation(Page page, List<Page> sources, List<String> translated) {

	private static final Pattern COMMENT = Pattern.compile("\\A<!-- source: ([^\\n>]+?)\\s*(?:\\n(.*?))?-->\\n",
			Pattern.DOTALL);

	private static final Pattern ROW = Pattern.compile("\\|.*");

	private static final Pattern ROW_OF_CODE = Pattern.compile("\\| \\[?`.*");

	static List<Translation> all() {
		return Manual.pages()
			.stream()
			.filter((page) -> page.name().matches("docs/zh/.+|README\\.zh-CN\\.md"))
			.map(Translation::of)
			.toList();
	}

	private static Translation of(Page page) {
		Matcher comment = COMMENT.matcher(Manual.read(page.file()));
		if (!comment.find()) {
			throw new IllegalStateException(page + " does not begin with <!-- source: docs/….md -->");
		}
		String sections = (comment.group(2) != null) ? comment.group(2) : "";
		return new Translation(page, Arrays.stream(comment.group(1).split(", ")).map(Manual::page).toList(),
				sections.lines().toList());
	}

	/** The page with the digests that the English pages have now. */
	String stamped() {
		String sources = this.sources.stream().map(Page::name).collect(Collectors.joining(", "));
		String comment = Stream.of(Stream.of("<!-- source: " + sources), current().stream(), Stream.of("-->\n"))
			.flatMap((lines) -> lines)
			.collect(Collectors.joining("\n"));
		return COMMENT.matcher(Manual.read(this.page.file())).replaceFirst(Matcher.quoteReplacement(comment));
	}

	/** Sections that were changed, added or removed since the translation. */
	List<String> outdated() {
		List<String> current = current();
		return Stream
			.concat(current.stream().filter((line) -> !this.translated.contains(line)),
					this.translated.stream().filter((line) -> !current.contains(line)))
			.map((line) -> this.page + ": " + line.replaceFirst(" .*", ""))
			.distinct()
			.toList();
	}

	private List<String> current() {
		List<String> lines = new ArrayList<>();
		for (Page source : this.sources) {
			source.sections()
				.forEach((anchor, text) -> lines.add("%s#%s %s".formatted(source.name(), anchor, digest(text))));
		}
		return lines;
	}

	private static String digest(String text) {
		try {
			byte[] hash = MessageDigest.getInstance("SHA-256")
				.digest(text.strip().replaceAll("\\s+", " ").getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(hash, 0, 6);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Code blocks that differ from the English ones in more than comments. */
	List<String> inventedBlocks() {
		Set<String> english = this.sources.stream()
			.flatMap((source) -> source.blocks().stream())
			.map(Translation::withoutComments)
			.collect(Collectors.toSet());
		return this.page.blocks()
			.stream()
			.filter((block) -> !english.contains(withoutComments(block)))
			.map((block) -> this.page + ":" + block.line())
			.toList();
	}

	private static String withoutComments(Page.Block block) {
		return block.language() + block.text().replaceAll(" *(//|#|--) .*|<!--.*?-->", "");
	}

	/**
	 * Rows beginning with code that the page does not have. Only whole tables can be left
	 * out.
	 */
	List<String> missingRows() {
		List<Set<String>> rows = tables(this.page, ROW).flatMap(List::stream).toList();
		Predicate<Set<String>> there = (code) -> rows.stream().anyMatch((row) -> row.containsAll(code));
		return this.sources.stream()
			.flatMap((source) -> tables(source, ROW_OF_CODE))
			.filter((table) -> table.stream().anyMatch(there))
			.flatMap(List::stream)
			.filter(there.negate())
			.map((code) -> this.page + ": " + code)
			.toList();
	}

	/** Tables as the code of each row. */
	private static Stream<List<Set<String>>> tables(Page page, Pattern rows) {
		List<List<Set<String>>> tables = new ArrayList<>();
		boolean inside = false;
		for (String line : page.prose()) {
			if (!inside && line.startsWith("|")) {
				tables.add(new ArrayList<>());
			}
			inside = line.startsWith("|");
			if (rows.matcher(line).matches()) {
				tables.get(tables.size() - 1).add(Page.code(line).collect(Collectors.toCollection(TreeSet::new)));
			}
		}
		return tables.stream();
	}

}
