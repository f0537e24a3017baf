package io.leasehold.engine.redis;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.lettuce.core.api.StatefulRedisConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns once of a server that throws keys away when its memory is full: locks, too.
 */
final class EvictionWarning {

	private static final Log logger = LogFactory.getLog(EvictionWarning.class);

	private final AtomicBoolean asked = new AtomicBoolean();

	/** Ask the server, without waiting for its answer. It may refuse to tell. */
	void check(StatefulRedisConnection<String, String> connection) {
		if (this.asked.compareAndSet(false, true)) {
			connection.async().info("memory").thenAccept(EvictionWarning::warn);
		}
	}

	private static void warn(String memory) {
		Map<String, String> values = memory.lines()
			.map((line) -> line.split(":", 2))
			.filter((parts) -> parts.length == 2)
			.collect(Collectors.toMap((parts) -> parts[0], (parts) -> parts[1]));
		String policy = values.getOrDefault("maxmemory_policy", "noeviction");
		if (!policy.equals("noeviction") && !values.getOrDefault("maxmemory", "0").equals("0")) {
			logger.warn(("Redis evicts keys when its memory is full (maxmemory-policy %s), so that locks may be lost: "
					+ "use a server with noeviction")
				.formatted(policy));
		}
	}

}
