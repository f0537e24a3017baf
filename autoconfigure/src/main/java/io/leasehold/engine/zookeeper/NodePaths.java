package io.leasehold.engine.zookeeper;

import java.nio.charset.StandardCharsets;

import io.leasehold.LockKey;

/**
 * Paths of a key's nodes: one segment for the namespace, one for the key.
 */
final class NodePaths {

	private final String root;

	NodePaths(ZooKeeperSettings settings) {
		this.root = settings.basePath() + "/" + escape(settings.namespace());
	}

	String root() {
		return this.root;
	}

	String container(LockKey key) {
		return this.root + "/" + escape(key.value());
	}

	/**
	 * Replace characters that a path segment cannot contain by percent codes. Different
	 * texts remain different: a percent sign is always replaced.
	 */
	static String escape(String text) {
		if (text.isEmpty()) {
			return "%";
		}
		if (text.equals(".") || text.equals("..")) {
			return text.replace(".", "%2E");
		}
		StringBuilder result = new StringBuilder(text.length());
		text.codePoints().forEach((c) -> {
			if (isPlain(c)) {
				result.append((char) c);
				return;
			}
			for (byte octet : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
				result.append("%%%02X".formatted(octet));
			}
		});
		return result.toString();
	}

	private static boolean isPlain(int c) {
		if (c < 0x7f) {
			return c >= ' ' && c != '%' && c != '/';
		}
		return Character.isBmpCodePoint(c) && Character.isLetterOrDigit(c);
	}

}
