package io.leasehold.service.simulation;

/**
 * Several processes that share a store, in virtual time, of which one thread at a time
 * runs. The seed decides what happens: the same seed has the same history.
 */
public final class Simulation {

	/** The first seed whose grants linger. */
	public static final long LINGERING = 1L << 40;

	/** The first seed with callers that acquire several keys. */
	public static final long GROUPS = 3L << 39;

	/** The first seed with reports of revocations, and processes that shut down. */
	public static final long REVOCATIONS = 1L << 41;

	/** The first seed whose processes contend for few keys, with many revocations. */
	public static final long CONTENTION = 3L << 40;

	private final World world;

	private final long seed;

	private Simulation(long seed, boolean writes, Figures figures) {
		this.seed = seed;
		this.world = new World(seed, writes, figures);
	}

	/** Run a simulation with a written history. */
	static Simulation replay(long seed) {
		Simulation simulation = new Simulation(seed, true, new Figures());
		simulation.run();
		return simulation;
	}

	/** Run a simulation without a written history. */
	static Simulation run(long seed, Figures figures) {
		Simulation simulation = new Simulation(seed, false, figures);
		simulation.run();
		figures.schedules++;
		return simulation;
	}

	/**
	 * Run simulations until one fails.
	 * @return the number of simulations and the broken promise, {@code null} if none was
	 */
	public static String firstFailure(long firstSeed, int most) {
		Figures figures = new Figures();
		for (int i = 0; i < most; i++) {
			String violation = run(firstSeed + i, figures).violation();
			if (violation != null) {
				return "%d: %s".formatted(figures.schedules, violation);
			}
		}
		return null;
	}

	private void run() {
		Scheduler scheduler = this.world.scheduler;
		for (long i = this.world.dice.between(this.world.contends ? 2 : 1, 4); i > 0; i--) {
			this.world.processes.add(this.world.newProcess());
		}
		long end = this.world.dice.between(500_000_000, 8_000_000_000L);
		this.world.workload.plan(end);
		this.world.faults.plan(end);
		scheduler.after(end, () -> {
			this.world.journal.write(scheduler.now(), "", "All disturbances end");
			this.world.faults.end();
			this.world.workload.finish();
		});
		scheduler.run();
		if (violation() == null) {
			this.world.callers
				.forEach((caller) -> this.world.promises.require(caller.hasEnded(), "%s was forgotten", caller));
			this.world.promises.requireNothingLeft();
		}
		this.world.running().forEach(SimulatedProcess::end);
	}

	/** Return the first broken promise, {@code null} if there is none. */
	String violation() {
		return this.world.scheduler.violation();
	}

	/** Return what happened, if that was written. */
	String history() {
		return "Seed %d%n%s".formatted(this.seed, this.world.journal.text());
	}

	long digest() {
		return this.world.journal.digest();
	}

}
