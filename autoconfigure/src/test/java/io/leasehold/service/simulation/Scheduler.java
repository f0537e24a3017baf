package io.leasehold.service.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/**
 * Virtual time. Events run one after the other when they are due.
 * <p>
 * A request blocks its caller, and there is one thread. So {@link #await} runs further
 * events until the response is there, also events that send requests: they are nested. A
 * response is thus processed only after those of all requests that began later, as if its
 * thread had not been scheduled until then. A limit of depth, and the rule that no
 * request begins while a response waits, keep these delays short.
 */
final class Scheduler {

	private static final int DEEPEST = 8;

	private static final int MOST_EVENTS = 50_000;

	/** Far more readings of a clock than one event needs. */
	private static final int MOST_READINGS = 100_000;

	final Dice dice;

	final Journal journal;

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	/** Events that may send a request, and wait until they may. */
	private final List<Event> postponed = new ArrayList<>();

	private final Deque<Wait> awaited = new ArrayDeque<>();

	private final Runnable check;

	private long now;

	private long created;

	/** Number of planned events that keep the simulation running. */
	private int remaining;

	private int done;

	/** Number of readings of clocks during the current event. */
	private int readings;

	private String violation;

	/**
	 * Create virtual time.
	 * @param check run after each event
	 */
	Scheduler(Dice dice, Journal journal, Runnable check) {
		this.dice = dice;
		this.journal = journal;
		this.check = check;
	}

	/** Return the time that has passed, in nanoseconds. */
	long now() {
		if (++this.readings > MOST_READINGS) {
			violated("A task does not end");
			throw new IllegalStateException(this.violation);
		}
		return this.now;
	}

	/** Let time pass without an event. */
	void advance(long nanos) {
		this.now += nanos;
	}

	/** Plan an event of the store or the network. */
	void after(long nanos, Runnable task) {
		after(nanos, null, false, task);
	}

	/** Plan an event of a process. */
	void after(long nanos, SimulatedProcess process, boolean blocks, Runnable task) {
		add(new Event(this.now + nanos, this.created++, process, blocks, task));
	}

	/** Plan an event that does not keep the simulation running. */
	void inBackground(long nanos, SimulatedProcess process, Runnable task) {
		Event event = new Event(this.now + nanos, this.created++, process, false, task);
		event.background = true;
		add(event);
	}

	/** Plan an event that could not run when it was due. */
	void again(Event event, long nanos) {
		event.due = this.now + nanos;
		add(event);
	}

	private void add(Event event) {
		this.events.add(event);
		this.remaining += event.background ? 0 : 1;
	}

	private boolean goesOn() {
		return this.violation == null && this.remaining > 0;
	}

	/** Run all events. */
	void run() {
		while (goesOn()) {
			step();
		}
	}

	/** Run events until a condition of a process is met. */
	void await(SimulatedProcess process, BooleanSupplier condition) {
		this.awaited.push(new Wait(process, condition));
		while (goesOn() && !condition.getAsBoolean()) {
			step();
		}
		this.awaited.pop();
		for (Event event : this.postponed) {
			again(event, 0);
		}
		this.postponed.clear();
	}

	private boolean mayBlock() {
		return this.awaited.size() < DEEPEST && this.awaited.stream().noneMatch(Wait::isOver);
	}

	/**
	 * Return whether a response has arrived that a process cannot process yet, or a
	 * request cannot begin.
	 */
	boolean holdsUp(SimulatedProcess process) {
		return this.awaited.stream().anyMatch((wait) -> wait.process == process && wait.isOver())
				|| this.postponed.stream().anyMatch((event) -> event.process == process);
	}

	private void step() {
		Event event = this.events.remove();
		this.remaining -= event.background ? 0 : 1;
		this.now = Math.max(this.now, event.due);
		if (event.process != null && !event.process.mayRun(event)) {
			return;
		}
		if (event.blocks && !mayBlock()) {
			event.process.disturb();
			this.postponed.add(event);
			return;
		}
		this.readings = 0;
		this.journal.add(this.now, event.number);
		if (++this.done > MOST_EVENTS) {
			violated("The simulation does not come to rest");
			return;
		}
		try {
			event.task.run();
		}
		catch (RuntimeException | Error ex) {
			violated("A task failed: " + ex);
			if (this.journal.writes()) {
				ex.printStackTrace();
			}
		}
		this.check.run();
	}

	/** Report a broken promise. The first one ends the simulation. */
	void violated(String promise) {
		if (this.violation == null) {
			this.violation = promise;
			this.journal.write(this.now, "", "VIOLATION: %s", promise);
		}
		this.readings = 0;
	}

	/** Return the first broken promise, {@code null} if there is none. */
	String violation() {
		return this.violation;
	}

	/** Thread of a process that waits for a response. */
	private record Wait(SimulatedProcess process, BooleanSupplier condition) {

		boolean isOver() {
			return this.condition.getAsBoolean();
		}

	}

}
