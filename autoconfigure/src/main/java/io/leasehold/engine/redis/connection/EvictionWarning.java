package io.leasehold.engine.redis.connection;

import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * One-time warning about a server that evicts keys, including locks, at full memory.
 */
public final class EvictionWarning {

	private static final Log logger = LogFactory.getLog(EvictionWarning.class);

	private final AtomicBoolean warned = new AtomicBoolean();

	/** Check what a server reports. */
	public void check(Node node, ServerInfo info) {
		String policy = info.get("maxmemory_policy", "noeviction");
		if (!policy.equals("noeviction") && !info.get("maxmemory", "0").equals("0")
				&& this.warned.compareAndSet(false, true)) {
			logger.warn(("Redis at %s evicts keys when its memory is full (maxmemory-policy %s), so locks may be "
					+ "lost. Use a server with noeviction")
				.formatted(node, policy));
		}
	}

}
