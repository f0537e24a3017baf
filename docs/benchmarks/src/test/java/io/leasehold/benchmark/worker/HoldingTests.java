package io.leasehold.benchmark.worker;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.leasehold.benchmark.contender.Contender;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HoldingTests {

	private static final int KEPT = 1000;

	@Test
	void heapIsWhatALockKeepsWhileItIsHeld() throws Exception {
		Map<String, byte[]> held = new HashMap<>();
		Contender heavy = (key) -> {
			held.put(key, new byte[KEPT]);
			return () -> held.remove(key);
		};
		Sample sample = new Holding(10_000, Duration.ofMillis(40)).run(heavy, 0);
		// What was garbage before may have been collected meanwhile
		assertThat(sample.figures().get(Holding.HEAP)).isBetween(KEPT * 0.75, KEPT * 1.5);
		assertThat(sample.all()).isEqualTo(10_000);
		assertThat(held).isEmpty();
	}

}
