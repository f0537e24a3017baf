package io.leasehold.benchmark;

import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;

import io.leasehold.benchmark.contender.Contenders;
import io.leasehold.benchmark.report.Yardstick;
import io.leasehold.benchmark.store.Store;
import io.leasehold.benchmark.worker.Task;

/**
 * A scenario in which contenders are measured.
 *
 * @param name its name on the command line and of its files
 * @param title heading of its table
 * @param floor the contender that the others are compared with
 * @param yardstick by what they are compared
 * @param workers number of JVMs of each contender
 * @param task what each of them does, by the file of a board and the measured time
 * @param admitted who takes part
 */
public record Scenario(String name, String title, String floor, Yardstick yardstick, int workers,
		BiFunction<String, Duration, Task> task, Predicate<String> admitted) {

	/** Return the names of the participating contenders, the floor first. */
	List<String> contenders(Store store) {
		return Contenders.of(store).stream().filter(this.admitted).toList();
	}

}
