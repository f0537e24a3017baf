package io.leasehold.service.simulation;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Simulations of new seeds for an hour.
 */
@ExtendWith(Quiet.class)
@Timeout(value = 3, unit = TimeUnit.HOURS)
class SimulationLongTests {

	@Test
	void newSeedsBreakNoPromise() {
		assertThat(Seeds.runFor("1h").schedules).isPositive();
	}

}
