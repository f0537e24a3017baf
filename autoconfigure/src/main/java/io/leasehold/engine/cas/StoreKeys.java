package io.leasehold.engine.cas;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import io.leasehold.LockKey;

/**
 * Keys of entries: namespace and key as printable ASCII, such as
 * {@code leasehold:order:42}. Other characters are percent codes of UTF-8. The rest of a
 * long key is replaced by the digest of the whole.
 */
final class StoreKeys {

	/** Memcached allows 250. */
	static final int LONGEST = 240;

	private static final int DIGEST = 64;

	private final String prefix;

	StoreKeys(String namespace) {
		this.prefix = escape(namespace).replace(":", "%3A") + ":";
	}

	String of(LockKey key) {
		String text = this.prefix + escape(key.value());
		return (text.length() <= LONGEST) ? text : text.substring(0, LONGEST - DIGEST - 1) + "#" + digest(text);
	}

	private static String digest(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
			return HexFormat.of().formatHex(digest);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex); // each Java platform has it
		}
	}

	private static String escape(String text) {
		StringBuilder result = new StringBuilder(text.length());
		for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
			if (octet > ' ' && octet < 0x7f && octet != '%' && octet != '#') {
				result.append((char) octet);
			}
			else {
				result.append("%%%02X".formatted(octet));
			}
		}
		return result.toString();
	}

}
