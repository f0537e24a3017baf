package io.leasehold.benchmark.store;

/**
 * Commands and processor time of a server, in total or within a round.
 *
 * @param commands number of commands, including those inside scripts, or
 * {@link Double#NaN} if the server does not count them
 * @param micros its processor time in microseconds, or {@link Double#NaN} if it is
 * unknown
 */
public record Usage(double commands, double micros) {

	/** The usage of a server that reports nothing. */
	public static final Usage UNKNOWN = new Usage(Double.NaN, Double.NaN);

	/** Return the usage after an earlier moment. */
	public Usage since(Usage earlier) {
		return new Usage(this.commands - earlier.commands, this.micros - earlier.micros);
	}

	/** Return the sum of this server and another one. */
	Usage plus(Usage other) {
		return new Usage(this.commands + other.commands, this.micros + other.micros);
	}

}
