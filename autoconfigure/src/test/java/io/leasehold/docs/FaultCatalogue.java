package io.leasehold.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The page of the faults. Their texts and what is not applicable are written by hand, the
 * columns of the engines and the list of tests are made from the {@link FaultEvidence}.
 */
final class FaultCatalogue {

	private static final List<String> ENGINES = List.of("local", "redis", "jdbc", "zookeeper", "etcd", "redlock",
			"hazelcast", "memcached");

	/** Engines on {@code engine.cas}, whose tests apply to both. */
	private static final List<String> COMPARE_AND_SET = List.of("hazelcast", "memcached");

	private static final String HEADER = "| # | sev. | fault | required |";

	private static final Pattern FAULT = Pattern.compile("(\\| (\\d+) \\| [123] \\| [^|]+ \\| [^|]+ \\|)( [^|]* \\|)+");

	private static final Pattern EXEMPTION = Pattern.compile("\\| ([\\d, -]+) \\| ([a-z, ]+) \\| [^|]+ \\|");

	private static final String TESTS = "| # | shown by |";

	private final List<String> lines;

	private final List<Exemption> exemptions;

	private final FaultEvidence evidence = new FaultEvidence();

	FaultCatalogue(String page) {
		this.lines = page.lines().toList();
		this.exemptions = this.lines.stream()
			.map(EXEMPTION::matcher)
			.filter(Matcher::matches)
			.flatMap((row) -> Exemption.parse(row.group(1), row.group(2)))
			.toList();
	}

	/** The page as it has to be. */
	String made() {
		List<String> made = new ArrayList<>();
		this.lines.subList(0, this.lines.indexOf(TESTS)).forEach((line) -> made.add(made(line)));
		made.add(TESTS);
		made.add("|---|---|");
		rows().forEach((row) -> made.add(tests(row)));
		return String.join("\n", made) + "\n";
	}

	private String made(String line) {
		if (line.startsWith(HEADER)) {
			return HEADER + " " + String.join(" | ", ENGINES) + " |";
		}
		if (line.startsWith("|---|---|---|---|---|")) {
			return "|---|---|---|---|" + "---|".repeat(ENGINES.size());
		}
		Matcher fault = FAULT.matcher(line);
		if (!fault.matches()) {
			return line;
		}
		int row = Integer.parseInt(fault.group(2));
		return ENGINES.stream()
			.map((engine) -> " " + state(row, engine) + " |")
			.collect(Collectors.joining("", fault.group(1), ""));
	}

	private String tests(int row) {
		return this.evidence.tests(row).stream().collect(Collectors.joining("`, `", "| " + row + " | `", "` |"));
	}

	private String state(int row, String engine) {
		if (this.evidence.has(row, engine)) {
			return "held";
		}
		if (isExemption(row, engine)) {
			return "–";
		}
		boolean above = this.evidence.has(row, "") || COMPARE_AND_SET.contains(engine) && this.evidence.has(row, "cas");
		return above ? "above" : "";
	}

	private boolean isExemption(int row, String engine) {
		return this.exemptions.contains(new Exemption(row, engine));
	}

	/** Faults that no test shows on an engine, though nothing says why. */
	List<String> open() {
		return forEach((row, engine) -> state(row, engine).isEmpty());
	}

	/** Faults that a test shows on an engine to which they do not apply. */
	List<String> contradictions() {
		return forEach((row, engine) -> this.evidence.has(row, engine) && isExemption(row, engine));
	}

	/** Rows that tests name and the page does not have. */
	TreeSet<Integer> unknown() {
		TreeSet<Integer> named = this.evidence.rows();
		named.removeAll(faults());
		return named;
	}

	private List<String> forEach(Case wanted) {
		return faults().stream()
			.flatMap((row) -> ENGINES.stream()
				.filter((engine) -> wanted.matches(row, engine))
				.map((engine) -> row + " on " + engine))
			.toList();
	}

	private List<Integer> rows() {
		return faults().stream().filter((row) -> !this.evidence.tests(row).isEmpty()).toList();
	}

	List<Integer> faults() {
		return this.lines.stream()
			.map(FAULT::matcher)
			.filter(Matcher::matches)
			.map((fault) -> Integer.valueOf(fault.group(2)))
			.toList();
	}

	private interface Case {

		boolean matches(int row, String engine);

	}

	/** A fault that does not apply to an engine. */
	private record Exemption(int row, String engine) {

		static Stream<Exemption> parse(String rows, String engines) {
			List<String> names = engines.equals("all") ? ENGINES : List.of(engines.split(", "));
			return Stream.of(rows.split(", "))
				.map((range) -> range.split("-"))
				.flatMap((range) -> Stream.iterate(Integer.parseInt(range[0]), (row) -> row + 1)
					.limit(Integer.parseInt(range[range.length - 1]) - Integer.parseInt(range[0]) + 1L))
				.flatMap((row) -> names.stream().map((engine) -> new Exemption(row, engine)));
		}

	}

}
