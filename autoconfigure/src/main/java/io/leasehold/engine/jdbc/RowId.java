package io.leasehold.engine.jdbc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

import io.leasehold.LockKey;

/**
 * By what the table knows a key: a digest, since no collation, padding or truncation of a
 * database can take two digests for one.
 *
 * @param bytes SHA-256 of the namespace's length, the namespace and the key
 */
record RowId(byte[] bytes) implements Comparable<RowId> {

	static RowId of(String namespace, LockKey key) {
		byte[] space = namespace.getBytes(StandardCharsets.UTF_8);
		MessageDigest digest = sha256();
		digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(space.length).flip());
		digest.update(space);
		digest.update(key.value().getBytes(StandardCharsets.UTF_8));
		return new RowId(digest.digest());
	}

	/**
	 * Return a key as operators read it in the table: without control characters, some of
	 * which databases refuse.
	 */
	static String readable(LockKey key) {
		StringBuilder result = new StringBuilder(key.value().length());
		key.value().chars().forEach((c) -> {
			if (c < ' ' || c == 0x7f || c == '%') {
				result.append("%%%02X".formatted(c));
			}
			else {
				result.append((char) c);
			}
		});
		return result.toString();
	}

	private static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	/** Lower-case hexadecimal digits. */
	@Override
	public String toString() {
		return HexFormat.of().formatHex(this.bytes);
	}

	@Override
	public int compareTo(RowId other) {
		return Arrays.compareUnsigned(this.bytes, other.bytes);
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof RowId id && Arrays.equals(this.bytes, id.bytes);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.bytes);
	}

}
