package io.leasehold.service;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;

/**
 * An engine's threads and timers, replaced by the tasks of a simulation.
 */
final class SimulatedThreads extends EngineThreads {

	private final SimulatedService.Tasks tasks;

	private final Executor quick;

	private final Executor blocking;

	SimulatedThreads(String engine, SimulatedService.Tasks tasks) {
		super(engine);
		this.tasks = tasks;
		this.quick = (task) -> tasks.execute(task, false);
		this.blocking = (task) -> tasks.execute(task, true);
	}

	@Override
	void start() {
		// Tasks of a simulation need no threads
	}

	@Override
	boolean haveStarted() {
		return true;
	}

	@Override
	Executor callers() {
		return this.quick;
	}

	@Override
	Executor losses() {
		return this.quick;
	}

	@Override
	Executor workers() {
		return this.blocking;
	}

	@Override
	Executor releases() {
		return this.blocking;
	}

	@Override
	public Executor renewals() {
		return this.blocking;
	}

	@Override
	public Future<?> schedule(Runnable task, long nanos) {
		return this.tasks.schedule(task, Math.max(0, nanos));
	}

	@Override
	RandomGenerator random() {
		return this.tasks.random();
	}

}
