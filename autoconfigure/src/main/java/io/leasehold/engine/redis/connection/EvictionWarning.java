package io.leasehold.engine.redis.connection;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One-time warning about a server that evicts keys, including locks, at full memory.
 */
final class EvictionWarning {

	private static final Log logger = LogFactory.getLog(EvictionWarning.class);

	private final AtomicBoolean warned = new AtomicBoolean();

	/** Query a server without waiting for its response. It may reject the query. */
	void check(Node node, Connection connection) {
		if (!this.warned.get()) {
			connection.send("INFO", "memory").thenAccept((memory) -> warn(node, memory));
		}
	}

	private void warn(Node node, @Nullable Object memory) {
		Map<String, String> values = String.valueOf(memory)
			.lines()
			.map((line) -> line.split(":", 2))
			.filter((parts) -> parts.length == 2)
			.collect(Collectors.toMap((parts) -> parts[0], (parts) -> parts[1]));
		String policy = values.getOrDefault("maxmemory_policy", "noeviction");
		if (!policy.equals("noeviction") && !values.getOrDefault("maxmemory", "0").equals("0")
				&& this.warned.compareAndSet(false, true)) {
			logger.warn(("Redis at %s evicts keys when its memory is full (maxmemory-policy %s), so locks may be "
					+ "lost. Use a server with noeviction")
				.formatted(node, policy));
		}
	}

}
