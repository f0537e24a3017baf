package io.leasehold.benchmark;

import java.util.List;
import java.util.Locale;

import io.leasehold.benchmark.advice.AdviceBenchmarks;
import io.leasehold.benchmark.report.Results;
import io.leasehold.benchmark.store.Server;

/**
 * The command line: {@code java -jar benchmarks.jar hot-key --store=redis --rounds=7}.
 */
public final class Benchmarks {

	private Benchmarks() {
	}

	/**
	 * Run scenarios, and write their results.
	 * @param arguments names of scenarios, or nothing for all, and {@link Options}
	 */
	public static void main(String[] arguments) throws Exception {
		Options options = Options.of(arguments);
		if (options.includes(AdviceBenchmarks.NAME)) {
			System.out.println(AdviceBenchmarks.run(options.results()));
		}
		try (Server server = options.store().start()) {
			Contest contest = new Contest(options.store(), server, options.rounds(), options.time());
			for (Scenario scenario : Scenarios.all(options.hold())) {
				if (options.includes(scenario.name())) {
					run(contest, scenario, options);
				}
			}
		}
	}

	private static void run(Contest contest, Scenario scenario, Options options) throws Exception {
		List<String> contenders = scenario.contenders(options.store())
			.stream()
			.filter((name) -> name.equals(scenario.floor()) || options.admits(name))
			.toList();
		Results results = contest.run(scenario, contenders);
		results.write(options.results(), options.store().name().toLowerCase(Locale.ROOT) + "-" + scenario.name());
		System.out.println(results.table());
	}

}
