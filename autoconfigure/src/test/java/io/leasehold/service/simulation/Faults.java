package io.leasehold.service.simulation;

import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;

/**
 * The disturbances of a simulation, until {@link #end()}.
 */
final class Faults {

	private static final String[] KINDS = { "pause", "pause", "cut", "cut", "degrade", "degrade", "crash", "operator" };

	private static final String[] NEWER_KINDS = { "pause", "pause", "cut", "degrade", "crash", "operator", "operator",
			"stop" };

	private static final String[] KINDS_IN_CONTENTION = { "operator", "operator", "lag", "lag", "lag", "pause",
			"degrade", "stop" };

	private final World world;

	private boolean ended;

	Faults(World world) {
		this.world = world;
	}

	/** Plan disturbances until a time. */
	void plan(long end) {
		for (long i = this.world.contends ? this.world.dice.between(6, 20)
				: this.world.dice.between(0, 8); i > 0; i--) {
			this.world.scheduler.after(this.world.workload.moment(end), this::disturb);
		}
	}

	private void disturb() {
		int place = (int) this.world.dice.between(0, this.world.processes.size());
		SimulatedProcess process = this.world.processes.get(place);
		if (this.ended || process.isPaused()) {
			return;
		}
		switch (this.world.dice.pick(kinds())) {
			case "pause" -> {
				this.world.figures.pauses++;
				process.pause();
				later(process::resume);
			}
			case "cut" -> {
				this.world.figures.cuts++;
				process.link.cut();
				later(process.link::heal);
			}
			case "degrade" -> {
				process.link.degrade();
				later(process.link::heal);
			}
			case "lag" -> {
				process.link.lag();
				later(process.link::heal);
			}
			case "operator" -> process.start(() -> releaseByForce(process,
					this.world.dice.pick(this.world.contends ? this.world.workload.keys() : Workload.KEYS)));
			case "stop" -> {
				if (this.world.workload.mayStop()) {
					this.world.figures.stops++;
					this.world.stopping.add(process);
					this.world.processes.set(place, this.world.newProcess());
					process.stop();
					this.world.lingering.stops(process);
				}
			}
			default -> {
				this.world.figures.crashes++;
				this.world.orphans = true;
				process.crash();
				this.world.processes.set(place, this.world.newProcess());
			}
		}
	}

	private String[] kinds() {
		return this.world.contends ? KINDS_IN_CONTENTION : this.world.revokes ? NEWER_KINDS : KINDS;
	}

	/**
	 * Note that the store pushes a grant to a process. In contention, an operator of the
	 * process often revokes it before it arrives.
	 */
	void pushed(SimulatedProcess process, LockKey key) {
		if (this.world.contends && !this.ended && !process.isDead() && this.world.dice.chance(0.5)) {
			this.world.scheduler.after(this.world.dice.between(0, 1_000_000), process, false,
					() -> process.start(() -> releaseByForce(process, key.value())));
		}
	}

	private void releaseByForce(SimulatedProcess process, String key) {
		try {
			List<Long> grants = process.locks.forceRelease(key);
			this.world.figures.forced += grants.size();
			grants.forEach((grant) -> this.world.lingering.revoked(process, grant));
		}
		catch (LockEngineException ex) {
			process.note("<- failure: %s", ex.getMessage());
		}
	}

	private void later(Runnable end) {
		this.world.scheduler.after(this.world.dice.pick(50_000_000L, 500_000_000L, 3_000_000_000L), () -> {
			if (!this.ended) {
				end.run();
			}
		});
	}

	/** End all disturbances. */
	void end() {
		this.ended = true;
		for (SimulatedProcess process : this.world.running()) {
			process.resume();
			process.link.heal();
		}
	}

}
