package io.leasehold.engine;

/**
 * Subscription of a claim to signals. Closing it ends the signals, not the claim.
 */
@FunctionalInterface
public interface Subscription extends AutoCloseable {

	/**
	 * For stores without signals: the claim is retried after each busy response.
	 */
	Subscription POLLING = () -> {
	};

	@Override
	void close();

}
