package io.leasehold.service.simulation;

import java.time.Duration;
import java.util.List;

import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.engine.Capability;

/**
 * The callers of a simulation: who acquires which lock when, and for how long.
 */
final class Workload {

	private static final String[] EXCLUSIVE = { "x", "y" };

	private static final String READ_WRITE = "rw";

	private static final String PERMITS = "p";

	private static final List<String> GROUP = List.of(EXCLUSIVE[1], EXCLUSIVE[0]);

	static final String[] KEYS = { EXCLUSIVE[0], EXCLUSIVE[1], READ_WRITE, PERMITS };

	private final World world;

	/** Whether times are used that keep a key locked after its release. */
	private boolean delays;

	/** The keys that callers acquire. */
	private String[] keys = KEYS;

	private long lastMoment;

	/** Share of the callers that block their threads. */
	private double blocking;

	Workload(World world) {
		this.world = world;
	}

	static boolean isExclusive(String key) {
		return key.equals(EXCLUSIVE[0]) || key.equals(EXCLUSIVE[1]);
	}

	/** Plan acquisitions until a time. */
	void plan(long end) {
		this.delays = this.world.dice.chance(0.4);
		this.blocking = this.world.dice.pick(0.0, 0.0, 0.0, 0.2, 0.5);
		this.world.orphans |= this.delays;
		this.keys = this.world.contends ? new String[] { this.world.dice.pick("x", "x", READ_WRITE, PERMITS) }
				: this.world.dice.pick(new String[] { "x" }, EXCLUSIVE, new String[] { READ_WRITE },
						new String[] { PERMITS }, new String[] { "x", READ_WRITE, PERMITS });
		for (long i = this.world.dice.between(4, 40); i > 0; i--) {
			this.world.scheduler.after(moment(end),
					() -> begin(this.world.dice.pick(this.keys), this.world.dice.pick(processes())));
		}
	}

	String[] keys() {
		return this.keys;
	}

	/**
	 * Return a time until about an end, in newer seeds often just after the one before.
	 */
	long moment(long end) {
		if (!this.world.revokes || this.world.dice.chance(0.5)) {
			this.lastMoment = this.world.dice.between(0, end);
			return this.lastMoment;
		}
		return this.lastMoment + this.world.dice.between(0, 5_000_000);
	}

	/**
	 * Return whether processes may shut down: a service that enforces minimum holds lets
	 * their leases expire then, instead of releasing them.
	 */
	boolean mayStop() {
		return !this.delays || this.world.capabilities.contains(Capability.MIN_HOLD);
	}

	/** Let each process acquire each lock once more: all have to succeed. */
	void finish() {
		for (SimulatedProcess process : processes()) {
			for (String key : KEYS) {
				LockOptions options = withAccess(key,
						process.locks.options().toBuilder().waitTime(Duration.ofMinutes(2)).build());
				acquire(process, key, options, this.world.dice.between(0, 5_000_000), true);
			}
		}
	}

	private SimulatedProcess[] processes() {
		return this.world.processes.toArray(SimulatedProcess[]::new);
	}

	private void begin(String key, SimulatedProcess process) {
		if (this.world.groups && isExclusive(key) && this.world.dice.chance(0.3)) {
			AsyncGroup group = new AsyncGroup(this.world, process, GROUP, options(key, process), use());
			this.world.scheduler.after(0, process, false, group::start);
			return;
		}
		acquire(process, key, options(key, process), use(), false);
	}

	private void acquire(SimulatedProcess process, String key, LockOptions options, long use, boolean calm) {
		boolean blocks = this.world.dice.chance(this.blocking);
		Caller caller = blocks ? new BlockingCaller(this.world, process, key, options, use, calm)
				: new AsyncCaller(this.world, process, key, options, use, calm);
		this.world.scheduler.after(0, process, false, caller::start);
	}

	private LockOptions options(String key, SimulatedProcess process) {
		Dice dice = this.world.dice;
		LockOptions options = withAccess(key, process.locks.options()).toBuilder()
			.lease(millis(dice.pick(400L, 1000L, 3000L)))
			.waitTime(millis(dice.pick(0L, dice.between(1, 500), dice.between(1000, 8000))))
			.build();
		if (this.world.lingers) {
			options = options.toBuilder().linger(millis(dice.pick(0L, 300L, 1000L, 3000L, 3000L))).build();
		}
		if (this.delays && dice.chance(0.2)) {
			options = options.toBuilder().minHold(millis(dice.between(1, 500))).build();
		}
		if (this.delays && dice.chance(0.2)) {
			options = options.toBuilder().lockDelay(millis(300)).build();
		}
		return dice.chance(0.1) ? options.toBuilder().maxHold(millis(dice.between(500, 2500))).build() : options;
	}

	private LockOptions withAccess(String key, LockOptions options) {
		return switch (key) {
			case PERMITS -> options.toBuilder().permits(2).build();
			case READ_WRITE ->
				options.toBuilder().mode(this.world.dice.chance(0.6) ? LockMode.SHARED : LockMode.EXCLUSIVE).build();
			default -> options;
		};
	}

	/** Return how long a lock is used. */
	long use() {
		Dice dice = this.world.dice;
		return dice.pick(0L, dice.between(0, 3_000_000), dice.between(0, 300_000_000), dice.between(0, 4_000_000_000L));
	}

	private static Duration millis(long millis) {
		return Duration.ofMillis(millis);
	}

}
