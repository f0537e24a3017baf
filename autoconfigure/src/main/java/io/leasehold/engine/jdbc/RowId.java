package io.leasehold.engine.jdbc;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

import io.leasehold.LockKey;

/**
 * Id of a key in the table. It is a digest, because no collation, padding or truncation
 * of a database can make two digests equal.
 *
 * @param bytes SHA-256 of the namespace's length, the namespace and the key
 */
record RowId(byte[] bytes) implements Comparable<RowId> {

	static RowId of(String namespace, LockKey key) {
		return new RowId(key.digest(namespace));
	}

	/**
	 * Return the id of a key that transactions lock, apart from the row of its leases.
	 */
	static RowId inTransactions(String namespace, LockKey key) {
		return new RowId(key.digest(namespace, "transaction"));
	}

	/** Return the first eight bytes as a number. */
	long number() {
		return ByteBuffer.wrap(this.bytes).getLong();
	}

	/** Return the id in lower-case hexadecimal digits. */
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
