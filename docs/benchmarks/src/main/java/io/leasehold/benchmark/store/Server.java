package io.leasehold.benchmark.store;

import java.io.IOException;
import java.util.Optional;

/**
 * A running server of a store.
 */
public interface Server extends AutoCloseable {

	/** Where clients find it. */
	String address();

	/** Return what it has done so far. */
	default Usage usage() throws Exception {
		return Usage.UNKNOWN;
	}

	/**
	 * Start to count what clients send, without the commands inside scripts; empty if the
	 * server cannot count it. It slows the server down.
	 */
	default Optional<Monitor> monitor() throws Exception {
		return Optional.empty();
	}

	@Override
	void close() throws IOException;

	/** Counts what clients send, until it is closed. */
	interface Monitor extends AutoCloseable {

		/** Number of commands so far. */
		long sent();

		@Override
		void close() throws IOException;

	}

}
