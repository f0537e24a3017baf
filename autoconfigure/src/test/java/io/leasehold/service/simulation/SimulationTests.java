package io.leasehold.service.simulation;

import java.io.IOException;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Simulations of new seeds break no promise. A seed that fails belongs into
 * {@code failed-seeds.txt}.
 */
@ExtendWith(Quiet.class)
class SimulationTests {

	@Test
	void newSeedsBreakNoPromise() {
		Figures figures = Seeds.runFor("5s");
		assertThat(figures.schedules).isPositive();
	}

	@ParameterizedTest
	@MethodSource("failedSeeds")
	void seedThatOnceFailedBreaksNoPromise(long seed) {
		Seeds.requireKept(seed, new Figures());
	}

	static LongStream failedSeeds() throws IOException {
		return Seeds.failed();
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, Simulation.REVOCATIONS, Simulation.CONTENTION })
	void sameSeedHasTheSameHistory(long firstSeed) {
		for (long seed = firstSeed; seed < firstSeed + 20; seed++) {
			Simulation first = Simulation.replay(seed);
			assertThat(Simulation.replay(seed).history()).isEqualTo(first.history()).contains("has the lock");
			assertThat(Simulation.run(seed, new Figures()).digest()).isEqualTo(first.digest());
			assertThat(Simulation.run(seed + 1, new Figures()).digest()).isNotEqualTo(first.digest());
		}
	}

	@Test
	void everythingHappensSometimes() {
		Figures figures = new Figures();
		for (long seed = 0; seed < 500; seed++) {
			Simulation.run(seed, figures);
		}
		assertThat(figures.all()).as(figures.toString()).allMatch((times) -> times > 0);
		for (long seed = Simulation.REVOCATIONS; seed < Simulation.REVOCATIONS + 500; seed++) {
			Seeds.requireKept(seed, figures);
		}
		assertThat(figures.newer()).as(figures.toString()).allMatch((times) -> times > 0);
	}

}
