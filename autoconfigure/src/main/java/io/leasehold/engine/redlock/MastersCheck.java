package io.leasehold.engine.redlock;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;

/**
 * Check at startup that the masters are independent.
 *
 * @param masters the masters
 */
record MastersCheck(Masters masters) {

	/**
	 * Check the masters that are available.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 * @throws IllegalStateException if a server is not an independent master, or two
	 * addresses lead to the same server
	 */
	void run(long deadline) {
		Map<Master, CompletableFuture<ServerState>> states = new HashMap<>();
		this.masters.all().forEach((master) -> states.put(master, master.query()));
		Map<String, Master> servers = new HashMap<>();
		states.forEach((master, state) -> {
			String runId = runId(master, state, deadline);
			Master same = runId.isEmpty() ? null : servers.put(runId, master);
			if (same != null) {
				throw new IllegalStateException("%s and %s are the same server".formatted(same, master));
			}
		});
	}

	private static String runId(Master master, CompletableFuture<ServerState> state, long deadline) {
		try {
			return Replies.await(state, deadline).runId();
		}
		catch (RedisFailure ex) {
			if (ex.isUnsuitable()) {
				throw new IllegalStateException("%s cannot be used: %s".formatted(master, ex.getMessage()), ex);
			}
			return "";
		}
	}

}
