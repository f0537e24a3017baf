package io.leasehold;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Identity of a lock inside a namespace, such as {@code order:42}. Two keys are equal if
 * their text is equal character by character, without case folding, trimming or Unicode
 * normalization.
 *
 * @param value text of the key, not blank, at most {@value #MAX_BYTES} bytes in UTF-8
 */
public record LockKey(String value) {

	/** Maximum length of a key in bytes of UTF-8. */
	public static final int MAX_BYTES = 512;

	/**
	 * Create a key.
	 * @param value text of the key
	 * @throws LockKeyException if the text is blank, too long or invalid Unicode
	 */
	public LockKey {
		if (value.isBlank()) {
			throw new LockKeyException(value, "A lock key must not be blank");
		}
		int bytes = utf8Length(value);
		if (bytes > MAX_BYTES) {
			throw new LockKeyException(value, "Lock key '%s...' has %s bytes in UTF-8, at most %s are allowed"
				.formatted(value.substring(0, 40), bytes, MAX_BYTES));
		}
	}

	/**
	 * Return the key for display in a store, a log or a message.
	 * @return the key on one line, see {@link #readable(String)}
	 */
	public String readable() {
		return readable(this.value);
	}

	/**
	 * Return a text in a form that fits into one line of a log. Keys are user data, and a
	 * line break in a key must not start a new log line.
	 * @param text the text of a key
	 * @return the text, in which line breaks, control characters, invisible format
	 * characters and percent signs are percent-encoded; different for different texts
	 */
	public static String readable(String text) {
		return ReadableText.escape(text);
	}

	/**
	 * Return a digest of the key, for stores whose collation, padding or truncation could
	 * confuse keys.
	 * @param spaces scopes of the key, such as its namespace
	 * @return SHA-256 of the spaces, each preceded by its length, and the key
	 */
	public byte[] digest(String... spaces) {
		MessageDigest digest = sha256();
		for (String space : spaces) {
			byte[] bytes = space.getBytes(StandardCharsets.UTF_8);
			digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
			digest.update(bytes);
		}
		return digest.digest(this.value.getBytes(StandardCharsets.UTF_8));
	}

	private static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	/**
	 * Return the {@linkplain #readable() readable} form, for messages. The identity of
	 * the lock is its {@link #value()}.
	 */
	@Override
	public String toString() {
		return readable();
	}

	private static int utf8Length(String value) {
		int bytes = 0;
		for (int i = 0; i < value.length(); i++) {
			char c = value.charAt(i);
			if (!Character.isSurrogate(c)) {
				bytes += (c < 0x80) ? 1 : (c < 0x800) ? 2 : 3;
				continue;
			}
			if (!startsPair(value, i)) {
				throw new LockKeyException(value, "Lock key '%s' contains an unpaired surrogate".formatted(value));
			}
			bytes += 4;
			i++;
		}
		return bytes;
	}

	private static boolean startsPair(String value, int index) {
		return index + 1 < value.length() && Character.isSurrogatePair(value.charAt(index), value.charAt(index + 1));
	}

}
