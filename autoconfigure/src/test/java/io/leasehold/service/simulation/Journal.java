package io.leasehold.service.simulation;

import java.util.List;
import java.util.stream.Stream;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;

/**
 * What happened in a simulation, in the order of virtual time. A digest is always kept;
 * the text is written only on request, because it takes most of the time.
 */
final class Journal {

	private final boolean writes;

	private final StringBuilder text = new StringBuilder();

	private long digest;

	Journal(boolean writes) {
		this.writes = writes;
	}

	/** Return whether {@link #write} has an effect. */
	boolean writes() {
		return this.writes;
	}

	void write(long now, String who, String format, Object... arguments) {
		if (this.writes) {
			String what = format.formatted(Stream.of(arguments).map(Journal::describe).toArray());
			this.text.append("%11.3f ms  %-6s %s%n".formatted(now / 1e6, who, what));
		}
	}

	/** Describe a response without what differs from run to run. */
	private static Object describe(Object argument) {
		if (argument instanceof List<?> all) {
			return all.stream().map(Journal::describe).toList();
		}
		if (argument instanceof AcquisitionOutcome.Busy busy) {
			return "busy, retry in %d ms".formatted(busy.retryIn().toMillis());
		}
		boolean response = Stream.of(AcquisitionOutcome.class, Signal.class, RenewalOutcome.class, ReleaseOutcome.class)
			.anyMatch((type) -> type.isInstance(argument));
		return response ? argument.getClass().getSimpleName() : argument;
	}

	/** Add an event to the digest. */
	void add(long now, long event) {
		this.digest = (this.digest * 31 + now) * 31 + event;
	}

	/** Return a number that differs for different orders of events. */
	long digest() {
		return this.digest;
	}

	String text() {
		return this.text.toString();
	}

}
