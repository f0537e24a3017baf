package io.leasehold.benchmark.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leasehold.benchmark.contender.Contenders;

/**
 * Results of a scenario, as a table, as all figures, and as a picture.
 */
public final class Results {

	private final String title;

	private final String floor;

	private final Yardstick yardstick;

	private final Map<String, List<Round>> rounds = new LinkedHashMap<>();

	private final Map<String, Double> sent = new LinkedHashMap<>();

	/**
	 * Create empty results.
	 * @param title heading
	 * @param floor the contender that all are compared with
	 * @param yardstick by what they are compared
	 */
	public Results(String title, String floor, Yardstick yardstick) {
		this.title = title;
		this.floor = floor;
		this.yardstick = yardstick;
	}

	/** Add a contender's next round. */
	public void add(String contender, Round round) {
		this.rounds.computeIfAbsent(contender, (absent) -> new ArrayList<>()).add(round);
	}

	/** Return how many commands a contender sends a turn, or {@link Double#NaN}. */
	public void sent(String contender, double perTurn) {
		this.sent.put(contender, perTurn);
	}

	/** Rounds of each contender. */
	public Map<String, List<Round>> rounds() {
		return this.rounds;
	}

	/**
	 * Write all forms.
	 * @param folder the folder
	 * @param name name of the files, without their extensions
	 */
	public void write(Path folder, String name) throws IOException {
		Files.createDirectories(folder);
		Files.writeString(folder.resolve(name + ".md"), table());
		Files.writeString(folder.resolve(name + ".csv"), csv());
		Files.writeString(folder.resolve(name + ".svg"),
				new BarChart(this.title + ": " + this.yardstick.title() + " as a multiple of the floor's, logarithmic",
						medians())
					.svg());
	}

	/** A table in Markdown: medians over the rounds, and of the ratios their spread. */
	public String table() {
		StringBuilder table = new StringBuilder("## ").append(this.title).append("\n\n| | × floor | spread | × ours |");
		StringBuilder line = new StringBuilder("\n|---|---|---|---|");
		for (Measure measure : measures()) {
			table.append(' ').append(measure.name()).append(" |");
			line.append("---|");
		}
		table.append(" sent/turn |").append(line).append("---|\n");
		this.rounds.keySet().forEach((contender) -> table.append(row(contender)));
		return table.append("\n× floor: ")
			.append(this.yardstick.title())
			.append(" as a multiple of that of *")
			.append(this.floor)
			.append("*, round by round.\n")
			.toString();
	}

	/** Columns: what all rounds have, and the further figures of these. */
	private List<Measure> measures() {
		Stream<Measure> further = this.rounds.values()
			.stream()
			.flatMap(List::stream)
			.flatMap((round) -> round.figures().keySet().stream())
			.distinct()
			.map(Measure::figure);
		return Stream.concat(Measure.ALL.stream(), further).toList();
	}

	private String row(String contender) {
		Spread floor = ratio(contender, this.floor);
		StringBuilder row = new StringBuilder(line("| %s | %.2f | %.2f–%.2f | %s |", contender, floor.median(),
				floor.least(), floor.greatest(), ours(contender)));
		for (Measure measure : measures()) {
			double median = Spread.of(this.rounds.get(contender).stream().mapToDouble(measure.of())).median();
			row.append(' ').append(measure.format(median)).append(" |");
		}
		double perTurn = this.sent.getOrDefault(contender, Double.NaN);
		return row.append(Double.isNaN(perTurn) ? " |\n" : line(" %.2f |\n", perTurn)).toString();
	}

	private String ours(String contender) {
		return this.rounds.containsKey(Contenders.LEASEHOLD)
				? line("%.2f", ratio(contender, Contenders.LEASEHOLD).median()) : "";
	}

	private static String line(String format, Object... figures) {
		return String.format(Locale.ROOT, format, figures);
	}

	private Map<String, Double> medians() {
		Map<String, Double> medians = new LinkedHashMap<>();
		this.rounds.keySet().forEach((contender) -> medians.put(contender, ratio(contender, this.floor).median()));
		return medians;
	}

	private Spread ratio(String contender, String base) {
		List<Round> own = this.rounds.get(contender);
		List<Round> others = this.rounds.get(base);
		return Spread.of(IntStream.range(0, own.size())
			.mapToDouble((round) -> this.yardstick.cost(own.get(round)) / this.yardstick.cost(others.get(round))));
	}

	private String csv() {
		StringBuilder csv = new StringBuilder("contender,round");
		measures().forEach((measure) -> csv.append(',').append(measure.name().replace(",", "")));
		csv.append('\n');
		this.rounds.forEach((contender, all) -> {
			for (int round = 0; round < all.size(); round++) {
				csv.append(contender).append(',').append(round);
				for (Measure measure : measures()) {
					csv.append(',').append(measure.of().applyAsDouble(all.get(round)));
				}
				csv.append('\n');
			}
		});
		return csv.toString();
	}

}
