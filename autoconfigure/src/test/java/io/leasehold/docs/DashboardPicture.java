package io.leasehold.docs;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.server.PrometheusTestServer;
import tools.jackson.databind.JsonNode;

import org.springframework.web.util.HtmlUtils;

/**
 * Picture of the dashboard's panels, as SVG, from what a Prometheus has recorded.
 */
final class DashboardPicture {

	private static final List<String> COLORS = List.of("#1f78c1", "#e24d42", "#508642", "#ef843c", "#705da0", "#0a8f8f",
			"#ba43a9", "#a1801f");

	private static final int COLUMN = 50;

	private static final int ROW = 26;

	/** Space of a panel between its edge and what it shows. */
	private static final int MARGIN = 12;

	private static final int POINTS = 100;

	private static final int MOST_LEGENDS = 6;

	private static final Pattern LABEL = Pattern.compile("\\{\\{(\\w+)}}");

	private final PrometheusTestServer prometheus;

	private final double from;

	private final double to;

	private final StringBuilder svg = new StringBuilder();

	private DashboardPicture(PrometheusTestServer prometheus, Instant from, Instant to) {
		this.prometheus = prometheus;
		this.from = from.toEpochMilli() / 1000.0;
		this.to = to.toEpochMilli() / 1000.0;
	}

	/**
	 * Draw all panels.
	 * @param from begin of the time that they show
	 * @param to its end
	 * @return the text of an SVG file
	 */
	static String draw(PrometheusTestServer prometheus, Instant from, Instant to) {
		return new DashboardPicture(prometheus, from, to).draw();
	}

	private String draw() {
		int x = 0;
		int y = 0;
		for (Dashboard.Panel panel : Dashboard.PANELS) {
			draw(panel, x * COLUMN, y * ROW);
			x = (x + panel.width()) % 24;
			y += (x == 0) ? panel.height() : 0;
		}
		return """
				<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$s %2$s" font-family="sans-serif" font-size="12">
				<rect width="%1$s" height="%2$s" fill="#f4f5f5"/>
				%3$s</svg>
				""".formatted(24 * COLUMN, y * ROW, this.svg);
	}

	private void draw(Dashboard.Panel panel, int x, int y) {
		add("<g transform=\"translate(%s %s)\">", x, y);
		int width = panel.width() * COLUMN;
		int height = panel.height() * ROW;
		add("<rect x=\"4\" y=\"4\" width=\"%s\" height=\"%s\" rx=\"3\" fill=\"white\" stroke=\"#d8d9da\"/>", width - 8,
				height - 8);
		add("<text x=\"%s\" y=\"24\" font-weight=\"bold\" fill=\"#333\">%s</text>", MARGIN, panel.title());
		List<Series> all = panel.queries().stream().flatMap((query) -> series(query).stream()).toList();
		List<Series> shown = all.stream().filter(Series::isAboveZero).toList();
		if (panel.type().equals("stat")) {
			drawLast(panel, all, width, height);
		}
		else {
			drawLines(panel, shown.isEmpty() ? all : shown, width, height);
		}
		add("</g>");
	}

	private void drawLast(Dashboard.Panel panel, List<Series> all, int width, int height) {
		int share = (width - 2 * MARGIN) / Math.max(1, all.size());
		for (int i = 0; i < all.size(); i++) {
			Series series = all.get(i);
			add("<text x=\"%s\" y=\"%s\" font-size=\"30\" fill=\"#1f78c1\">%s</text>", MARGIN + i * share, height - 38,
					Unit.text(series.last(), panel.unit()));
			add("<text x=\"%s\" y=\"%s\" fill=\"#666\">%s</text>", MARGIN + i * share, height - 16, series.name);
		}
	}

	private void drawLines(Dashboard.Panel panel, List<Series> all, int width, int height) {
		double most = all.stream()
			.flatMap((series) -> series.points.stream())
			.mapToDouble(Point::value)
			.max()
			.orElse(0);
		double top = (most > 0) ? most * 1.1 : 1;
		int legends = 15 * Math.min(MOST_LEGENDS + 1, all.size());
		int bottom = height - legends - 16;
		int left = 64;
		for (int i = 0; i <= 2; i++) {
			double y = bottom - i * (bottom - 40) / 2.0;
			add("<path d=\"M%s %s H%s\" stroke=\"#e8e8e8\"/>", left, round(y), width - MARGIN);
			add("<text x=\"%s\" y=\"%s\" text-anchor=\"end\" fill=\"#666\">%s</text>", left - 6, round(y + 4),
					Unit.text(top * i / 2, panel.unit()));
		}
		Function<Point, String> place = (point) -> "%s,%s".formatted(
				round(left + (point.time - this.from) / (this.to - this.from) * (width - MARGIN - left)),
				round(bottom - point.value / top * (bottom - 40)));
		for (int i = 0; i < all.size(); i++) {
			Series series = all.get(i);
			String color = COLORS.get(i % COLORS.size());
			add("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"%s\"/>", color,
					String.join(" ", series.points.stream().map(place).toList()));
			if (i < MOST_LEGENDS) {
				add("<text x=\"%s\" y=\"%s\" fill=\"%s\">%s</text>", left, bottom + 16 + 15 * i, color, series.name);
			}
		}
		if (all.size() > MOST_LEGENDS) {
			add("<text x=\"%s\" y=\"%s\" fill=\"#666\">and %s more</text>", left, bottom + 16 + 15 * MOST_LEGENDS,
					all.size() - MOST_LEGENDS);
		}
	}

	private List<Series> series(Dashboard.Query query) {
		JsonNode found = this.prometheus.get("query_range?query=%s&start=%s&end=%s&step=%s".formatted(
				URLEncoder.encode(query.over("10s"), StandardCharsets.UTF_8), this.from, this.to,
				(this.to - this.from) / POINTS))
			.path("result");
		List<Series> series = new ArrayList<>();
		for (JsonNode each : found.values()) {
			Matcher labels = LABEL.matcher(query.legend());
			String name = labels.replaceAll((label) -> each.path("metric").path(label.group(1)).asString());
			series.add(Series.of(name, each.path("values")));
		}
		return series;
	}

	private static String round(double value) {
		return String.format(Locale.ROOT, "%.1f", value);
	}

	private void add(String element, Object... values) {
		for (int i = 0; i < values.length; i++) {
			values[i] = HtmlUtils.htmlEscape(String.valueOf(values[i]));
		}
		this.svg.append(element.formatted(values)).append('\n');
	}

	/** A line of a panel. */
	private record Series(String name, List<Point> points) {

		static Series of(String name, JsonNode values) {
			List<Point> points = new ArrayList<>();
			for (JsonNode value : values.values()) {
				double number = Double.parseDouble(value.path(1).asString());
				if (Double.isFinite(number)) {
					points.add(new Point(value.path(0).asDouble(), number));
				}
			}
			return new Series(name, points);
		}

		boolean isAboveZero() {
			return this.points.stream().anyMatch((point) -> point.value > 0);
		}

		double last() {
			return this.points.isEmpty() ? 0 : this.points.get(this.points.size() - 1).value;
		}

	}

	private record Point(double time, double value) {
	}

	/** Texts of values by Grafana's names of units. */
	private static final class Unit {

		static String text(double value, String unit) {
			return switch (unit) {
				case "percentunit" -> number(value * 100) + " %";
				case "s" -> seconds(value);
				case "ops" -> number(value) + "/s";
				default -> number(value);
			};
		}

		private static String seconds(double value) {
			if (value >= 3600) {
				return number(value / 3600) + " h";
			}
			return (value < 1) ? number(value * 1000) + " ms" : number(value) + " s";
		}

		private static String number(double value) {
			double tenths = Math.rint(value * 10) / 10;
			return String.format(Locale.ROOT, (value < 10 && tenths != Math.rint(tenths)) ? "%.1f" : "%.0f", value);
		}

	}

}
