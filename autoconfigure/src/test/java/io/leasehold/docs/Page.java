package io.leasehold.docs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Markdown page.
 *
 * @param file where it is
 * @param prose its lines, those of code blocks empty
 * @param blocks its code blocks
 */
record Page(Path file, List<String> prose, List<Block> blocks) {

	private static final String FENCE = "```";

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	private static final Pattern LINK = Pattern.compile("!?\\[[^\\]]*]\\(([^)\\s]+)\\)");

	static Page read(Path file) {
		List<String> prose = new ArrayList<>();
		List<Block> blocks = new ArrayList<>();
		Block open = null;
		int indent = 0;
		for (String line : Manual.read(file).lines().toList()) {
			if (line.strip().startsWith(FENCE)) {
				indent = line.indexOf(FENCE);
				open = (open != null) ? null : new Block(line.strip().substring(FENCE.length()), prose.size() + 1);
				if (open != null) {
					blocks.add(open);
				}
				prose.add("");
			}
			else if (open != null) {
				open.lines.add(line.substring(Math.min(indent, line.length())));
				prose.add("");
			}
			else {
				prose.add(line);
			}
		}
		return new Page(file, prose, blocks);
	}

	String name() {
		return Manual.nameOf(this.file);
	}

	List<Block> blocks(String language) {
		return this.blocks.stream().filter((block) -> block.language.equals(language)).toList();
	}

	/** What stands between single backticks. */
	List<String> code() {
		return this.prose.stream().flatMap(Page::code).toList();
	}

	static Stream<String> code(String line) {
		return groups(CODE, line);
	}

	/** Targets of links and images. */
	List<String> links() {
		return this.prose.stream()
			.map((line) -> line.replaceAll("`[^`]*`", ""))
			.flatMap((line) -> groups(LINK, line))
			.toList();
	}

	/** Headings of a level, as text. */
	List<String> headings(int level) {
		String marks = "#".repeat(level) + " ";
		return this.prose.stream()
			.filter((line) -> line.startsWith(marks))
			.map((line) -> line.substring(marks.length()).strip())
			.toList();
	}

	/** Names by which links reach the headings, as GitHub makes them. */
	List<String> anchors() {
		Map<String, Integer> seen = new HashMap<>();
		return this.prose.stream().filter(Page::isHeading).map(Page::anchor).map((anchor) -> {
			int before = seen.merge(anchor, 1, Integer::sum) - 1;
			return (before > 0) ? anchor + "-" + before : anchor;
		}).toList();
	}

	/** Text of the sections, by the anchors of their headings. */
	Map<String, String> sections() {
		List<String> lines = Manual.read(this.file).lines().toList();
		Iterator<String> anchors = anchors().iterator();
		Map<String, String> sections = new LinkedHashMap<>();
		String current = "";
		for (int i = 0; i < lines.size(); i++) {
			current = isHeading(this.prose.get(i)) ? anchors.next() : current;
			sections.merge(current, lines.get(i), (text, line) -> text + "\n" + line);
		}
		return sections;
	}

	private static boolean isHeading(String line) {
		return line.matches("#{1,6} .+");
	}

	private static String anchor(String heading) {
		return heading.replaceFirst("^#+", "")
			.strip()
			.toLowerCase(Locale.ROOT)
			.replaceAll("[^\\p{L}\\p{N} _-]", "")
			.replace(' ', '-');
	}

	private static Stream<String> groups(Pattern pattern, String line) {
		return pattern.matcher(line).results().map((MatchResult match) -> match.group(1));
	}

	@Override
	public String toString() {
		return name();
	}

	/**
	 * A code block.
	 *
	 * @param language what stands after the opening fence
	 * @param line number of the line with the opening fence
	 * @param lines what is in it
	 */
	record Block(String language, int line, List<String> lines) {

		Block(String language, int line) {
			this(language, line, new ArrayList<>());
		}

		String text() {
			return String.join("\n", this.lines);
		}

	}

}
