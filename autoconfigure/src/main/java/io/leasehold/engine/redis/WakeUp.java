package io.leasehold.engine.redis;

/**
 * How waiting claims are notified that they were granted a lock.
 */
public enum WakeUp {

	/**
	 * By scripts. If the server rejects their messages, the client publishes them; if it
	 * rejects the subscription, waiting claims poll.
	 */
	AUTO,

	/** By the scripts that grant locks. */
	SCRIPT,

	/**
	 * By the client that receives the response of such a script, for servers whose
	 * scripts must not publish messages.
	 */
	CLIENT,

	/** Not at all: waiting claims poll. */
	POLL

}
