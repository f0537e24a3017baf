package io.leasehold.service;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.leasehold.test.contract.Fault;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever goes wrong when a task is handed over to a thread, no key becomes unusable, no
 * lock is no longer renewed, and no future stays incomplete.
 */
class HandOverTests {

	/** Scenarios mostly wait. */
	private static final int AT_A_TIME = 16;

	@Fault(111)
	@ParameterizedTest
	@MethodSource("errors")
	void anyHandOverMayFailOnce(Throwable error) throws Exception {
		FailingThreads counting = new FailingThreads();
		new HandOverScenario(counting).run();
		assertThat(counting.handOvers()).isGreaterThan(20);
		ExecutorService runs = Executors.newFixedThreadPool(AT_A_TIME);
		try {
			List<Future<?>> all = new ArrayList<>();
			for (int i = 1; i <= counting.handOvers(); i++) {
				int failing = i;
				all.add(runs.submit(() -> new HandOverScenario(
						new FailingThreads().failing((handOver) -> handOver.number() == failing, error))
					.run()));
			}
			for (Future<?> run : all) {
				run.get(5, TimeUnit.MINUTES);
			}
		}
		finally {
			runs.shutdownNow();
		}
	}

	static Stream<Throwable> errors() {
		return Stream.of(new OutOfMemoryError("unable to create native thread"), new RejectedExecutionException());
	}

	/** From the first lock on, nothing needs another thread. */
	@Fault(111)
	@Test
	void everythingWorksThoughNoThreadCanBeStarted() throws Exception {
		FailingThreads threads = new FailingThreads();
		CompletableFuture<Void> first = new CompletableFuture<>();
		threads.failing((handOver) -> {
			threads.exhausted(true);
			first.complete(null);
			return false;
		}, new AssertionError());
		assertThat(new HandOverScenario(threads).run()).isEmpty();
		assertThat(first).isDone();
	}

}
