package io.leasehold.server;

import java.time.Duration;

/**
 * How long tests wait for a server to start, or for a cluster to change. Only a server
 * that hangs reaches this limit: starts take a minute on a busy machine.
 */
final class ServerLimit {

	static final Duration LIMIT = Duration.ofMinutes(5);

	private ServerLimit() {
	}

}
