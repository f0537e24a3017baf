package io.leasehold.docs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Source of the dashboard for Grafana, {@code docs/operations/dashboard.json}.
 */
final class Dashboard {

	private static final int WIDTH = 24;

	private static final Map<String, Object> DATASOURCE = ordered("type", "prometheus", "uid", "${datasource}");

	/** Variables that select applications and locks, by the queries of their values. */
	private static final Map<String, Object> VARIABLES = ordered("job", "label_values(leasehold_engine_up, job)",
			"name", "label_values(leasehold_acquired_age_seconds{job=~\"$job\"}, name)");

	/**
	 * In the expressions, {@code JOB} and {@code LOCK} stand for what the variables
	 * select.
	 */
	static final List<Panel> PANELS = List.of(
			stat("Instances whose store responds", "percentunit",
					new Query("{{engine}}", "avg by (engine) (leasehold_engine_up{JOB})")),
			stat("Instances that lead", "short",
					new Query("{{role}}", "sum by (role) (leasehold_leader_leaders{JOB})")),
			stat("Locks lost in the last hour", "short",
					new Query("", "sum(increase(leasehold_lost_locks_total{LOCK,cause!=\"shutdown\"}[1h]))")),
			stat("Events dropped in the last hour", "short",
					new Query("", "sum(increase(leasehold_events_dropped_events_total{JOB}[1h]))")),
			graph("Calls by outcome", "ops",
					new Query("{{outcome}}",
							"sum by (outcome) (rate(leasehold_acquire_seconds_count{LOCK}[$__rate_interval]))")),
			graph("Calls that fail to acquire their lock", "ops", new Query("{{name}} {{outcome}}", """
					sum by (name, outcome) (rate(leasehold_acquire_seconds_count{LOCK,\
					outcome=~"busy|unavailable|bypassed|error"}[$__rate_interval]))""")),
			graph("Time to acquire a lock", "s",
					new Query("{{name}} mean", mean("leasehold_acquire_seconds", "LOCK,outcome=\"acquired\"")),
					new Query("{{name}} max",
							"max by (name) (leasehold_acquire_seconds_max{LOCK,outcome=\"acquired\"})")),
			graph("Time for which a lock is held", "s",
					new Query("{{name}} mean", mean("leasehold_hold_seconds", "LOCK")),
					new Query("{{name}} max", "max by (name) (leasehold_hold_seconds_max{LOCK})")),
			graph("Callers that wait", "short",
					new Query("{{name}}", "sum by (name) (leasehold_waiting_callers{LOCK,name!~\"role .*\"})")),
			graph("Locks held and parked", "short", new Query("{{name}}", "sum by (name) (leasehold_held_locks{LOCK})"),
					new Query("parked on {{engine}}", "sum by (engine) (leasehold_parked_locks{JOB})")),
			graph("Locks lost", "short",
					new Query("{{name}} {{cause}}",
							"sum by (name, cause) (increase(leasehold_lost_locks_total{LOCK}[$__rate_interval]))")),
			graph("Time since the last acquisition", "s",
					new Query("{{name}}", "min by (name) (leasehold_acquired_age_seconds{LOCK})")),
			graph("Renewals by outcome", "ops",
					new Query("{{engine}} {{outcome}}",
							"sum by (engine, outcome) (rate(leasehold_renewal_seconds_count{JOB}[$__rate_interval]))")),
			graph("Renewals late in the lease", "short", new Query("{{engine}} at most {{le}} s left", """
					sum by (engine, le) (increase(leasehold_renewal_slack_seconds_bucket{JOB,le!="+Inf"}\
					[$__rate_interval]))""")),
			graph("Longest time to renew a lease", "s",
					new Query("{{engine}}", "max by (engine) (leasehold_renewal_seconds_max{JOB})")),
			graph("Requests that the store rejects", "short", new Query("{{engine}} {{reason}}",
					"sum by (engine, reason) (increase(leasehold_refused_requests_total{JOB}[$__rate_interval]))")),
			graph("Locks passed on without a pause", "ops",
					new Query("{{engine}} {{kind}}",
							"sum by (engine, kind) (rate(leasehold_handoff_keys_total{JOB}[$__rate_interval]))")),
			graph("Terms that begin", "short",
					new Query("{{role}}", "sum by (role) (increase(leasehold_terms_total{JOB}[$__rate_interval]))")));

	private Dashboard() {
	}

	/** Return the expressions of all panels, with values in place of the variables. */
	static Stream<String> queries() {
		return PANELS.stream().flatMap((panel) -> panel.queries.stream()).map((query) -> query.over("1m"));
	}

	/** Return the text of the file. */
	static String json() {
		Map<String, Object> dashboard = new LinkedHashMap<>();
		dashboard.put("uid", "leasehold");
		dashboard.put("title", "Leasehold");
		dashboard.put("tags", List.of("leasehold"));
		dashboard.put("schemaVersion", 41);
		dashboard.put("editable", true);
		dashboard.put("refresh", "30s");
		dashboard.put("time", ordered("from", "now-1h", "to", "now"));
		List<Map<String, Object>> variables = new ArrayList<>();
		variables.add(ordered("name", "datasource", "type", "datasource", "query", "prometheus"));
		VARIABLES.forEach((name, values) -> variables.add(variable(name, values)));
		dashboard.put("templating", ordered("list", variables));
		dashboard.put("panels", panels());
		return JsonMapper.builder()
			.enable(SerializationFeature.INDENT_OUTPUT)
			.build()
			.writeValueAsString(dashboard)
			.replace("\r", "") + "\n";
	}

	private static List<Map<String, Object>> panels() {
		List<Map<String, Object>> panels = new ArrayList<>();
		int x = 0;
		int y = 0;
		for (Panel panel : PANELS) {
			panels.add(panel.json(panels.size() + 1, x, y));
			x = (x + panel.width) % WIDTH;
			y += (x == 0) ? panel.height : 0;
		}
		return panels;
	}

	private static Map<String, Object> variable(String name, Object values) {
		return ordered("name", name, "type", "query", "datasource", DATASOURCE, "query", values, "refresh", 2,
				"includeAll", true, "allValue", ".*", "multi", true, "current",
				ordered("text", List.of("All"), "value", List.of("$__all")));
	}

	private static Panel stat(String title, String unit, Query... queries) {
		return new Panel("stat", 6, 4, title, unit, List.of(queries));
	}

	private static Panel graph(String title, String unit, Query... queries) {
		return new Panel("timeseries", 12, 8, title, unit, List.of(queries));
	}

	/** Mean of a timer's values, by the name of the lock. */
	private static String mean(String timer, String labels) {
		return "%1$s(rate(%2$s_sum{%3$s}[$__rate_interval])) / %1$s(rate(%2$s_count{%3$s}[$__rate_interval]))"
			.formatted("sum by (name) ", timer, labels);
	}

	private static Map<String, Object> ordered(Object... namesAndValues) {
		Map<String, Object> map = new LinkedHashMap<>();
		for (int i = 0; i < namesAndValues.length; i += 2) {
			map.put((String) namesAndValues[i], namesAndValues[i + 1]);
		}
		return map;
	}

	/**
	 * A panel.
	 *
	 * @param type of the visualization
	 * @param width of {@link #WIDTH}
	 * @param height in rows
	 * @param title what it shows
	 * @param unit of its values, as Grafana names it
	 * @param queries its series
	 */
	record Panel(String type, int width, int height, String title, String unit, List<Query> queries) {

		Map<String, Object> json(int id, int x, int y) {
			Map<String, Object> panel = ordered("id", id, "type", this.type, "title", this.title, "datasource",
					DATASOURCE, "gridPos", ordered("h", this.height, "w", this.width, "x", x, "y", y));
			List<Map<String, Object>> targets = new ArrayList<>();
			for (Query query : this.queries) {
				targets.add(ordered("refId", String.valueOf((char) ('A' + targets.size())), "expr", query.expression,
						"legendFormat", query.legend));
			}
			panel.put("targets", targets);
			panel.put("fieldConfig", ordered("defaults", ordered("unit", this.unit, "min", 0), "overrides", List.of()));
			return panel;
		}

	}

	/**
	 * A query of a panel.
	 *
	 * @param legend names of its series
	 * @param expression in PromQL, with variables of Grafana
	 */
	record Query(String legend, String expression) {

		Query {
			expression = expression.replace("LOCK", "JOB,name=~\"$name\"").replace("JOB", "job=~\"$job\"");
		}

		/** Return the expression for all applications and locks, and an interval. */
		String over(String interval) {
			return this.expression.replace("$__rate_interval", interval).replaceAll("\\$(job|name)", ".*");
		}

	}

}
