package io.leasehold.service.simulation;

/**
 * Something that will happen at a moment of virtual time.
 */
final class Event implements Comparable<Event> {

	/** Where it happens, {@code null} for the store and the network. */
	final SimulatedProcess process;

	/** Whether the simulation may end before it. */
	boolean background;

	/** Whether it may send a request and wait for the response. */
	final boolean blocks;

	final Runnable task;

	final long number;

	long due;

	Event(long due, long number, SimulatedProcess process, boolean blocks, Runnable task) {
		this.due = due;
		this.number = number;
		this.process = process;
		this.blocks = blocks;
		this.task = task;
	}

	@Override
	public int compareTo(Event other) {
		return (this.due != other.due) ? Long.compare(this.due, other.due) : Long.compare(this.number, other.number);
	}

}
