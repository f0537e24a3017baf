package io.leasehold.benchmark.report;

import java.util.Locale;
import java.util.Map;

/**
 * A bar for each contender on a logarithmic scale, as SVG: to the right of the line at 1
 * if it costs more than the floor. Chart libraries draw with the fonts of the machine,
 * and servers have none.
 */
final class BarChart {

	private static final int WIDTH = 800;

	private static final int NAMES = 230;

	private static final int FIGURES = 80;

	private static final int ROW = 28;

	private static final int HEAD = 48;

	private final String title;

	private final Map<String, Double> bars;

	private final double least;

	private final double greatest;

	BarChart(String title, Map<String, Double> bars) {
		this.title = title;
		this.bars = bars;
		this.least = bars.values().stream().mapToDouble(Double::doubleValue).reduce(1, Math::min) / 1.5;
		this.greatest = bars.values().stream().mapToDouble(Double::doubleValue).reduce(1, Math::max);
	}

	String svg() {
		int height = HEAD + ROW * this.bars.size() + 12;
		StringBuilder svg = new StringBuilder("""
				<svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d"
					font-family="sans-serif" font-size="13">
				<rect width="100%%" height="100%%" fill="white"/>
				<text x="12" y="24" font-size="15">%3$s</text>
				""".formatted(WIDTH, height, this.title));
		int y = HEAD;
		for (Map.Entry<String, Double> bar : this.bars.entrySet()) {
			svg.append(bar(bar.getKey(), bar.getValue(), y));
			y += ROW;
		}
		return svg.append("""
				<line x1="%1$.1f" x2="%1$.1f" y1="%2$d" y2="%3$d" stroke="#444" stroke-dasharray="4 3"/>
				</svg>
				""".formatted(x(1), HEAD - 8, y)).toString();
	}

	private String bar(String name, double figure, int y) {
		return String.format(Locale.ROOT, """
				<text x="%d" y="%d" text-anchor="end">%s</text>
				<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>
				<text x="%.1f" y="%d">%.2f</text>
				""", NAMES - 8, y + 15, name, NAMES, y, x(figure) - NAMES, ROW - 8,
				name.startsWith("leasehold") ? "#1a7f5a" : "#9aa7b5", x(figure) + 6, y + 15, figure);
	}

	private double x(double figure) {
		double share = Math.log(figure / this.least) / Math.log(this.greatest / this.least);
		return NAMES + share * (WIDTH - NAMES - FIGURES);
	}

}
