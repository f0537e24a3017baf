package io.leasehold.engine.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Purger}.
 */
class PurgerTests {

	@Test
	void batchesAreRemovedWhileTheyAreFull() {
		List<Integer> found = new ArrayList<>(List.of(Purger.BATCH, Purger.BATCH, Purger.BATCH - 1, Purger.BATCH));
		List<Integer> limits = new ArrayList<>();
		try (Purger purger = new Purger((most) -> {
			limits.add(most);
			return found.remove(0);
		})) {
			purger.purge();
		}
		assertThat(limits).containsExactly(Purger.BATCH, Purger.BATCH, Purger.BATCH);
	}

	@Test
	void closedPurgerRemovesNoFurtherBatch() {
		AtomicInteger batches = new AtomicInteger();
		Purger[] closed = new Purger[1];
		closed[0] = new Purger((most) -> {
			closed[0].close();
			return (batches.incrementAndGet() < 10) ? most : 0;
		});
		closed[0].purge();
		assertThat(batches).hasValue(1);
	}

	@Test
	void threadRunsFromTheStartUntilTheClose() {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		Purger purger = new Purger((most) -> 0);
		assertThat(newThreads(before)).isEmpty();
		purger.start();
		assertThat(newThreads(before)).hasSize(1);
		purger.close();
		await().until(() -> newThreads(before).isEmpty());
	}

	@Test
	void closedPurgerCannotBeStarted() {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		Purger purger = new Purger((most) -> 0);
		purger.close();
		purger.start();
		assertThat(newThreads(before)).isEmpty();
	}

	private static List<Thread> newThreads(Set<Thread> before) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("leasehold-jdbc-purge-") && !before.contains(thread))
			.toList();
	}

}
