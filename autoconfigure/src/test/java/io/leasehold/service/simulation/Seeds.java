package io.leasehold.service.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;

import com.sun.management.OperatingSystemMXBean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Choice of seeds: new ones, and all that ever failed.
 */
final class Seeds {

	private Seeds() {
	}

	/** Return the seeds whose simulations once failed. */
	static LongStream failed() throws IOException {
		try (InputStream file = Seeds.class.getResourceAsStream("failed-seeds.txt")) {
			return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines()
				.filter((line) -> !line.startsWith("#"))
				.mapToLong(Long::parseLong);
		}
	}

	/**
	 * Run simulations for a while, from the seed of the system property
	 * {@code simulation.seed} on, or from random ones: one without lingering grants, one
	 * with them, one with several keys, one with revocations, and one with contention, in
	 * turn. Fail with the history of the first one that breaks a promise.
	 * @param time such as {@code 5s}, unless the system property {@code simulation.time}
	 * says otherwise
	 */
	static Figures runFor(String time) {
		Duration duration = Duration.parse("PT" + System.getProperty("simulation.time", time));
		long[] seeds = firstSeeds();
		Figures figures = new Figures();
		long start = System.nanoTime();
		long cpu = cpuTime();
		do {
			for (int i = 0; i < seeds.length; i++) {
				requireKept(seeds[i]++, figures);
			}
		}
		while (System.nanoTime() - start < duration.toNanos());
		System.out.printf("%s. %d schedules per second of processor time%n", figures,
				figures.schedules * 1_000_000_000L / (cpuTime() - cpu));
		return figures;
	}

	private static long[] firstSeeds() {
		Long chosen = Long.getLong("simulation.seed");
		if (chosen != null) {
			return new long[] { chosen };
		}
		long random = ThreadLocalRandom.current().nextLong(Simulation.GROUPS - Simulation.LINGERING);
		return new long[] { random, Simulation.LINGERING + random, Simulation.GROUPS + random,
				Simulation.REVOCATIONS + random, Simulation.CONTENTION + random };
	}

	private static long cpuTime() {
		return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
	}

	/** Fail with the history of a simulation if it breaks a promise. */
	static void requireKept(long seed, Figures figures) {
		if (Simulation.run(seed, figures).violation() != null) {
			Simulation failed = Simulation.replay(seed);
			assertThat(failed.violation()).as("%s%n%s", figures, failed.history()).isNull();
		}
	}

}
