package io.leasehold.benchmark.worker;

import java.util.Map;

import io.leasehold.benchmark.contender.Contender;

/**
 * A task, and what is left of it in the heap of its JVM.
 *
 * @param task the task
 */
public record Weighed(Task task) implements Task {

	@Override
	public Sample run(Contender contender, int worker) throws Exception {
		Sample sample = this.task.run(contender, worker);
		return sample.with(Map.of("heap KB left", Heap.used() / 1024.0));
	}

}
