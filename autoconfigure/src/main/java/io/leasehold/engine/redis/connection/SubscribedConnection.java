package io.leasehold.engine.redis.connection;

import java.util.concurrent.CompletionStage;

/**
 * Connection that is subscribed to one channel. Thread-safe; never blocks.
 */
public interface SubscribedConnection {

	boolean isOpen();

	CompletionStage<?> ping();

	void close();

}
