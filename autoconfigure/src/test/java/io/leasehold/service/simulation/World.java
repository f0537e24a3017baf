package io.leasehold.service.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.RevocationListener;
import io.leasehold.engine.local.LocalLockEngine;

/**
 * All parts of one simulation.
 */
final class World {

	static final Duration LONGEST_LEASE = Duration.ofSeconds(4);

	/** Created in advance, because their identity takes long to find. */
	private static final List<Member> MEMBERS = Stream.generate(() -> Member.of("test")).limit(8).toList();

	final Dice dice;

	final Journal journal;

	final Figures figures;

	final Scheduler scheduler;

	final SimulatedClock clock;

	final LocalLockEngine store;

	/** The store's reports, of which each process receives its own. */
	final RevocationListener reports = new Reports();

	final Set<Capability> capabilities = EnumSet.allOf(Capability.class);

	final Promises promises = new Promises(this);

	final LingerPromises lingering = new LingerPromises(this);

	final Workload workload = new Workload(this);

	/** Processes with new callers. */
	final List<SimulatedProcess> processes = new ArrayList<>();

	/** Processes that shut down. */
	final List<SimulatedProcess> stopping = new ArrayList<>();

	final Faults faults = new Faults(this);

	final List<Caller> callers = new ArrayList<>();

	/** Whether grants linger, in seeds above all older ones, whose histories remain. */
	final boolean lingers;

	/** Whether some callers acquire several keys, in seeds above all older ones. */
	final boolean groups;

	/**
	 * Whether revocations are reported, and processes shut down, in still newer seeds.
	 */
	final boolean revokes;

	/**
	 * Whether processes contend for few keys that operators revoke, in the newest seeds.
	 */
	final boolean contends;

	/** Number of claims so far. */
	int claims;

	/** Whether the store may keep a key that no process holds any more. */
	boolean orphans;

	private int started;

	private long firstGrant;

	private long lastGrant;

	World(long seed, boolean writes, Figures figures) {
		this.dice = new Dice(seed);
		this.lingers = seed >= Simulation.LINGERING;
		this.groups = seed >= Simulation.GROUPS;
		this.revokes = seed >= Simulation.REVOCATIONS;
		this.contends = seed >= Simulation.CONTENTION;
		this.journal = new Journal(writes);
		this.figures = figures;
		this.scheduler = new Scheduler(this.dice, this.journal, this.promises::check);
		this.clock = new SimulatedClock(this.scheduler);
		this.journal.write(0, "store", "%s", this.clock);
		this.store = new LocalLockEngine(this.clock);
		this.store.reportRevocations(this.reports);
		if (this.dice.chance(0.5)) {
			this.capabilities.remove(Capability.MIN_HOLD);
		}
	}

	SimulatedProcess newProcess() {
		String name = Character.toString('A' + this.started % 26);
		return new SimulatedProcess(name, this, MEMBERS.get(this.started++ % MEMBERS.size()));
	}

	/** Return all processes that did not crash. */
	List<SimulatedProcess> running() {
		List<SimulatedProcess> running = new ArrayList<>(this.processes);
		running.addAll(this.stopping);
		return running;
	}

	void noteAtStore(String request, Object claim, Object response) {
		this.journal.write(this.scheduler.now(), "store", "%s %s: %s", request, claim, response);
	}

	/** Note a grant of the store. */
	void granted(AcquisitionOutcome.Granted grant) {
		this.firstGrant = (this.firstGrant != 0) ? this.firstGrant : grant.number();
		this.lastGrant = Math.max(this.lastGrant, grant.number());
	}

	long lastGrant() {
		return this.lastGrant;
	}

	/** Return the number of a grant, counted from the first one. */
	long grant(long number) {
		return number - this.firstGrant;
	}

	/** Sends the store's reports to the processes. */
	private final class Reports implements RevocationListener {

		@Override
		public void revoked(long number, Predicate<Claim> claim) {
			running().forEach((process) -> process.engine.revokedAtStore(number));
		}

		@Override
		public void recalled(Claim claim) {
			World.this.figures.recalls++;
			running().forEach((process) -> process.engine.recalledAtStore(claim));
		}

	}

}
