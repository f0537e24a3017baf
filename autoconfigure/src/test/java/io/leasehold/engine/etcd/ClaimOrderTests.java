package io.leasehold.engine.etcd;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimOrderTests {

	@Test
	void compatibleClaimsAtTheHeadHoldTheLock() {
		assertThat(holders("x", "x")).isEqualTo(1);
		assertThat(holders("s", "s", "x", "s")).isEqualTo(2);
		assertThat(holders("2", "2", "2")).isEqualTo(2);
		assertThat(holders("2", "3")).isEqualTo(1);
		assertThat(holders("s", "2")).isEqualTo(1);
		assertThat(order("x").lastHolds()).isTrue();
		assertThat(order("s", "x").lastHolds()).isFalse();
	}

	@Test
	void obstacleIsTheLastIncompatibleClaim() {
		assertThat(order("x", "x", "x").obstacle()).isEqualTo("1:x");
		assertThat(order("x", "x", "s", "s").obstacle()).isEqualTo("1:x");
		assertThat(order("s", "x").obstacle()).isEqualTo("0:s");
		assertThat(order("x", "2", "2").obstacle()).isEqualTo("0:x");
		assertThat(order("2", "2", "2").obstacle()).isNull();
		assertThat(order("x", "2", "2", "2").obstacle()).isNull();
	}

	/**
	 * A waiter is notified before it holds the lock: whichever claims before it remain,
	 * it holds the lock only if its obstacle has changed.
	 */
	@Test
	void claimHoldsTheLockOnlyAfterItsObstacleHasChanged() {
		for (List<String> queue : queues(5)) {
			ClaimOrder order = new ClaimOrder(queue);
			if (!order.lastHolds()) {
				for (int kept = 0; kept < 1 << (queue.size() - 1); kept++) {
					List<String> removed = removed(queue, kept);
					if (order.without(removed).lastHolds()) {
						Watch watch = Watch.on(order, "/", 0, (by, end) -> {
						});
						if (watch.key().equals("/") || removed.contains(watch.key())) {
							watch.removed(removed);
						}
						assertThat(watch.hasEnded()).as("%s without %s", queue, removed).isTrue();
					}
				}
			}
		}
	}

	private static List<String> removed(List<String> queue, int kept) {
		List<String> removed = new ArrayList<>();
		for (int i = 0; i < queue.size() - 1; i++) {
			if ((kept & 1 << i) == 0) {
				removed.add(queue.get(i));
			}
		}
		return removed;
	}

	private static List<List<String>> queues(int length) {
		if (length == 0) {
			return List.of(List.of());
		}
		List<List<String>> queues = new ArrayList<>();
		for (List<String> shorter : queues(length - 1)) {
			for (String access : List.of("x", "s", "1", "2", "3")) {
				List<String> queue = new ArrayList<>(shorter);
				queue.add(shorter.size() + ":" + access);
				queues.add(queue);
			}
		}
		return queues;
	}

	private static int holders(String... accesses) {
		ClaimOrder order = order(accesses);
		int count = 0;
		while (count < accesses.length && order.holds(count)) {
			count++;
		}
		return count;
	}

	private static ClaimOrder order(String... accesses) {
		List<String> keys = new ArrayList<>();
		for (String access : accesses) {
			keys.add(keys.size() + ":" + access);
		}
		return new ClaimOrder(keys);
	}

}
