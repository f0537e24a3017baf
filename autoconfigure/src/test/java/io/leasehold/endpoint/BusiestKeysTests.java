package io.leasehold.endpoint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.leasehold.LockKey;
import io.leasehold.endpoint.BusiestKeys.Key;
import io.leasehold.endpoint.BusiestKeys.Waits;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link BusiestKeys}.
 */
class BusiestKeysTests {

	@Test
	void fewKeysAreExact() {
		BusiestKeys first = new BusiestKeys();
		first.add(key(1), "pay", 5);
		first.add(key(1), "ship", 2);
		first.add(key(2), "pay", 3);
		BusiestKeys second = new BusiestKeys();
		second.add(key(1), "pay", 9);
		second.add(key(3), "pay", 1);
		assertThat(BusiestKeys.sum(List.of(first, second))).isEqualTo(Map.of(key(1), new Waits("pay", 3, 0, 16, 9),
				key(2), new Waits("pay", 1, 0, 3, 3), key(3), new Waits("pay", 1, 0, 1, 1)));
	}

	/** Most keys are rare, some are frequent, and all change their places. */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5 })
	void boundsOfManyKeysAreTrue(long seed) {
		Random random = new Random(seed);
		List<BusiestKeys> times = new ArrayList<>();
		Map<Key, Waits> truth = new HashMap<>();
		int each = 2000;
		for (int time = 0; time < 5; time++) {
			BusiestKeys keys = new BusiestKeys();
			times.add(keys);
			for (int i = 0; i < each; i++) {
				Key key = key(time * random.nextInt(2) + (int) Math.pow(random.nextDouble() + 0.0001, -1.5));
				long nanos = 1 + random.nextInt(1000);
				keys.add(key, "pay", nanos);
				truth.merge(key, new Waits("pay", 1, 0, nanos, nanos), BusiestKeysTests::plus);
			}
		}
		Map<Key, Waits> sums = BusiestKeys.sum(times);
		assertThat(truth.size()).isGreaterThan(300);
		assertThat(sums.size()).isLessThanOrEqualTo(500);
		sums.forEach((key, waits) -> {
			Waits exact = truth.get(key);
			assertThat(exact.count()).isBetween(waits.count() - waits.error(), waits.count());
			assertThat(waits.total()).isPositive().isLessThanOrEqualTo(exact.total());
			assertThat(waits.longest()).isPositive().isLessThanOrEqualTo(exact.longest());
		});
		truth.forEach((key, waits) -> assertThat(sums.containsKey(key) || waits.count() <= times.size() * each / 100)
			.isTrue());
	}

	private static Waits plus(Waits one, Waits other) {
		return new Waits(one.name(), one.count() + other.count(), 0, one.total() + other.total(),
				Math.max(one.longest(), other.longest()));
	}

	private static Key key(int number) {
		return new Key("redis", new LockKey("order:" + number));
	}

}
