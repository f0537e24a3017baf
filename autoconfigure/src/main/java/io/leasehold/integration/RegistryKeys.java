package io.leasehold.integration;

import java.nio.charset.StandardCharsets;
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
		if (text.getBytes(StandardCharsets.UTF_8).length <= LockKey.MAX_BYTES) {
			return text;
		}
		int end = Character.isHighSurrogate(text.charAt(KEPT - 1)) ? KEPT - 1 : KEPT;
		String beginning = text.substring(0, end) + "...sha256:";
		return beginning + HexFormat.of().formatHex(new LockKey(beginning).digest(text));
	}

}
