package io.leasehold.engine;

/**
 * A claim's ear for signals. Closing it ends the signals, not the claim.
 */
@FunctionalInterface
public interface Waiting extends AutoCloseable {

	/**
	 * For stores that cannot signal: the claim is asked for again after each busy answer.
	 */
	Waiting POLLING = () -> {
	};

	@Override
	void close();

}
