package io.leasehold.engine.redis;

import java.util.concurrent.CompletionStage;

/**
 * A connection that listens to one channel. Thread-safe, and never blocks.
 */
interface Ear {

	boolean isOpen();

	/** Ask for a sign of life. */
	CompletionStage<?> ping();

	void close();

}
