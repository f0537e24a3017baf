package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;

/**
 * Asks servers what they know of each other, and waits for the answer.
 *
 * @param timeout longest time to wait
 */
record Questions(Duration timeout) {

	/**
	 * Ask for a list.
	 * @throws RedisFailure if there was no answer, or none that is a list
	 */
	List<?> list(Connection connection, String command, String... arguments) {
		Object answer = Replies.await(connection.send(command, arguments), System.nanoTime() + this.timeout.toNanos());
		if (answer instanceof List<?> list && !list.isEmpty()) {
			return list;
		}
		throw RedisFailure.noAnswer("%s was answered with %s".formatted(command, answer), null);
	}

}
