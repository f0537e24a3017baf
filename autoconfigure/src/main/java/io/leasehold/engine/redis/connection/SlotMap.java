package io.leasehold.engine.redis.connection;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

/**
 * Map of a cluster's slots to their primaries. Thread-safe.
 */
final class SlotMap {

	static final int SLOTS = 16_384;

	/** Host of a node that should be named by its host name, but has none. */
	static final String UNKNOWN = "?";

	private final AtomicReferenceArray<@Nullable Node> owners = new AtomicReferenceArray<>(SLOTS);

	private final Set<Node> primaries = ConcurrentHashMap.newKeySet();

	/**
	 * Parse the response to {@code CLUSTER SLOTS}.
	 * @param response for each range: first slot, last slot, primary, replicas
	 * @param from the node that responded; its host replaces a missing host
	 */
	static SlotMap parse(List<?> response, Node from) {
		SlotMap map = new SlotMap();
		for (Object entry : response) {
			List<?> range = (List<?>) entry;
			List<?> server = (List<?>) range.get(2);
			Node primary = new Node(host(server, from), ((Long) server.get(1)).intValue());
			for (int slot = ((Long) range.get(0)).intValue(); slot <= (Long) range.get(1); slot++) {
				map.moved(slot, primary);
			}
		}
		return map;
	}

	/**
	 * A node that should be named by its host name, but has none, adds its IP address.
	 */
	private static String host(List<?> server, Node from) {
		String host = (String) server.get(0);
		if (UNKNOWN.equals(host) && server.get(server.size() - 1) instanceof List<?> more && more.contains("ip")) {
			host = (String) more.get(more.indexOf("ip") + 1);
		}
		return (host == null || host.isEmpty()) ? from.host() : host;
	}

	@Nullable Node primary(int slot) {
		return this.owners.get(slot);
	}

	Set<Node> primaries() {
		return Set.copyOf(this.primaries);
	}

	void moved(int slot, Node to) {
		this.owners.set(slot, to);
		this.primaries.add(to);
	}

	/** Return the slot of a key: CRC16 (XMODEM) of its hash tag. */
	static int slot(String key) {
		int open = key.indexOf('{');
		int close = key.indexOf('}', open + 1);
		String tag = (open >= 0 && close > open + 1) ? key.substring(open + 1, close) : key;
		int crc = 0;
		for (byte octet : tag.getBytes(StandardCharsets.UTF_8)) {
			crc ^= (octet & 0xff) << 8;
			for (int bit = 0; bit < 8; bit++) {
				crc = ((crc & 0x8000) != 0) ? (crc << 1) ^ 0x1021 : crc << 1;
			}
		}
		return (crc & 0xffff) % SLOTS;
	}

}
