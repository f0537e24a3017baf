package io.leasehold.benchmark;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.leasehold.benchmark.contender.Contenders;
import io.leasehold.benchmark.store.Store;
import io.leasehold.benchmark.worker.Handoff;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.DefaultApplicationArguments;

/**
 * Options of the command line.
 *
 * @param scenarios names of scenarios, or their first words; empty for all
 * @param store {@code --store}, Redis by default
 * @param rounds {@code --rounds} of each contender, seven by default
 * @param time {@code --millis} of each round, a second by default
 * @param contenders {@code --contenders} beside the floor, all by default
 * @param hold {@code --hold}, how long a lock is held before a handoff, in milliseconds;
 * five by default
 * @param results {@code --results}, the folder for the files
 */
record Options(List<String> scenarios, Store store, int rounds, Duration time, List<String> contenders, Duration hold,
		Path results) {

	private static final List<String> ALL = List.of("");

	Options {
		List<String> known = Contenders.of(store);
		if (!contenders.equals(ALL) && !known.containsAll(contenders)) {
			throw new IllegalArgumentException(
					"--contenders has %s, but on %s there are %s".formatted(contenders, store, known));
		}
	}

	static Options of(String... arguments) {
		ApplicationArguments source = new DefaultApplicationArguments(arguments);
		return new Options(source.getNonOptionArgs(),
				Store.valueOf(value(source, "store", "redis").toUpperCase(Locale.ROOT)),
				Integer.parseInt(value(source, "rounds", "7")),
				Duration.ofMillis(Long.parseLong(value(source, "millis", "1000"))),
				List.of(value(source, "contenders", "").split(",")),
				Duration.ofMillis(Long.parseLong(value(source, "hold", Long.toString(Handoff.SETTLED.toMillis())))),
				Path.of(value(source, "results", "docs/benchmarks/results")));
	}

	private static String value(ApplicationArguments source, String name, String absent) {
		List<String> values = source.getOptionValues(name);
		return (values != null) ? values.get(0) : absent;
	}

	boolean includes(String scenario) {
		return this.scenarios.isEmpty()
				|| this.scenarios.stream().anyMatch((requested) -> (scenario + "-").startsWith(requested + "-"));
	}

	boolean admits(String contender) {
		return this.contenders.equals(ALL) || this.contenders.contains(contender);
	}

}
