package io.leasehold.benchmark.report;

import java.util.List;
import java.util.Map;

import io.leasehold.benchmark.store.Usage;
import io.leasehold.benchmark.worker.Sample;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ResultsTests {

	private final Results results = new Results("Title", "floor", Yardstick.TIME_PER_TURN);

	@Test
	void ratiosAreThoseOfRoundsOfTheSameNumber() {
		for (long turns : List.of(100, 1000, 10)) {
			this.results.add("floor", round(turns));
			this.results.add("leasehold", round(turns * 2));
			this.results.add("other", round(turns / 2));
		}
		assertThat(this.results.table()).contains("| floor | 1.00 | 1.00–1.00 | 2.00 | 100 |")
			.contains("| leasehold | 0.50 | 0.50–0.50 | 1.00 | 200 |")
			.contains("| other | 2.00 | 2.00–2.00 | 4.00 | 50 |");
	}

	@Test
	void fairnessIsThatOfTurns() {
		assertThat(round(3, 3, 3).jainOfThreads()).isEqualTo(1);
		assertThat(round(9, 0, 0).jainOfThreads()).isEqualTo(1 / 3.0);
	}

	@Test
	void usageOfTheServerIsSharedByAllTurnsAlsoThoseThatAreNotMeasured() {
		Sample sample = new Sample(new long[] { 5 }, 10, 1_000_000_000, 0, new Histogram(3), 0, Map.of());
		Round round = new Round(List.of(sample, sample), new Usage(140, 700).since(new Usage(100, 300)));
		assertThat(round.commandsPerTurn()).isEqualTo(2);
		assertThat(round.serverMicrosPerTurn()).isEqualTo(20);
	}

	private static Round round(long... turns) {
		Histogram latency = new Histogram(3);
		latency.recordValue(1);
		return new Round(List.of(new Sample(turns, turns[0], 1_000_000_000, 0, latency, 0, Map.of())), Usage.UNKNOWN);
	}

}
