package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.List;

import io.leasehold.engine.redis.connection.Connection;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;
import io.leasehold.engine.redis.connection.ServerInfo;

/**
 * State of a server when a connection to it was opened.
 *
 * @param runId identity of the server's process
 * @param uptime time since its start, at least
 * @param started time of its start by its clock, at the latest, in microseconds
 */
record ServerState(String runId, Duration uptime, long started) {

	/**
	 * Return the state of a server.
	 * @param info what it has reported just before
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 * @throws RedisFailure if it did not respond, or is not an independent master
	 */
	static ServerState query(Connection connection, ServerInfo info, long deadline) {
		Object time = Replies.await(connection.send("TIME"), deadline);
		if (time instanceof List<?> now && now.size() == 2) {
			return parse(info, now);
		}
		throw RedisFailure.noResponse("Unexpected response to TIME: " + time, null);
	}

	static ServerState parse(ServerInfo info, List<?> now) {
		refuse(!"master".equals(info.get("role", "")), "is a replica");
		refuse(!"0".equals(info.get("connected_slaves", "0")), "has replicas");
		refuse("1".equals(info.get("cluster_enabled", "")), "is a node of a cluster");
		// The difference of two times in whole seconds, so up to a second too long
		long reported = Long.parseLong(info.get("uptime_in_seconds", "0"));
		Duration uptime = Duration.ofSeconds(Math.max(0, reported - 1));
		long micros = Long.parseLong((String) now.get(0)) * 1_000_000 + Long.parseLong((String) now.get(1));
		return new ServerState(info.get("run_id", ""), uptime, micros - uptime.toNanos() / 1000);
	}

	private static void refuse(boolean unsuitable, String reason) {
		if (unsuitable) {
			throw RedisFailure
				.unsuitable("The server %s; Redlock needs independent masters without replicas".formatted(reason));
		}
	}

	/** Return how long the server does not count yet. */
	Duration outFor(Duration restartDelay) {
		Duration rest = restartDelay.minus(this.uptime);
		return rest.isNegative() ? Duration.ZERO : rest;
	}

}
