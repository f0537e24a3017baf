package io.leasehold.engine.redlock;

import java.util.Map;

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
		this.masters.all().stream().map((master) -> Map.entry(master, master.query())).toList().forEach((query) -> {
			try {
				Replies.await(query.getValue(), deadline);
			}
			catch (RedisFailure ex) {
				if (ex.isUnsuitable()) {
					throw new IllegalStateException("%s cannot be used: %s".formatted(query.getKey(), ex.getMessage()),
							ex);
				}
			}
		});
	}

}
