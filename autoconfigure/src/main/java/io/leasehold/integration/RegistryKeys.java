package io.leasehold.integration;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import io.leasehold.LockKey;
import io.leasehold.key.KeyText;

/**
 * Keys of locks for the keys of Spring Integration, which are objects of any length, such
 * as correlation keys and paths of files.
 */
final class RegistryKeys {

	/** Characters that a shortened key keeps, so that it stays readable. */
	private static final int KEPT = 100;

	private RegistryKeys() {
	}

	/**
	 * Return the text of a key. One that is too long for a lock keeps its beginning, and
	 * has a digest instead of its end.
	 * @throws io.leasehold.LockKeyException if the text of the object would be another
	 * one in another process, or is blank
	 */
	static String of(Object key) {
		String text = KeyText.of(key, "The key of a LockRegistry");
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		if (bytes.length <= LockKey.MAX_BYTES) {
			return text;
		}
		int end = Character.isHighSurrogate(text.charAt(KEPT - 1)) ? KEPT - 1 : KEPT;
		return text.substring(0, end) + "...sha256:" + HexFormat.of().formatHex(sha256(bytes));
	}

	private static byte[] sha256(byte[] bytes) {
		try {
			return MessageDigest.getInstance("SHA-256").digest(bytes);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
