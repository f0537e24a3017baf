package io.leasehold.leadership;

import io.leasehold.engine.LockEngine;

/**
 * The engine of an instance, and the network between it and the store.
 */
public interface Route {

	/** Return the engine, whose store the other instances use too. */
	LockEngine engine();

	/** Let nothing through, in either direction, and break nothing. */
	void cut();

	/** Break all connections, and reject new ones. */
	void refuse();

	/** End the fault. */
	void heal();

	/** Close the engine and the network. */
	void close() throws Exception;

}
