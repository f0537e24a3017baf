package io.leasehold.engine.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Node of a claim as it was created.
 *
 * @param zxid id of the transaction that created it
 * @param session session that requested its creation; if it is still the present one, its
 * end removes the node
 * @param alone whether it was the only node of its key at that time
 */
record LockNode(String path, long zxid, long session, boolean alone) {

	/** How many grant numbers belong to each transaction, for a grant that lingers. */
	private static final int NUMBERS = AcquisitionOutcome.Granted.RESERVED + 1;

	/** Transactions up to this one have grant numbers below 2^57. */
	private static final long LAST = (1L << 57) / NUMBERS - 1;

	private static final Pattern MILLIS = Pattern.compile("\\d{1,18}");

	/** Return the grant number of a node that a transaction created. */
	static long number(long zxid) {
		return zxid * NUMBERS;
	}

	/**
	 * Return the data of a claim's node, for operators.
	 * @param held time since the grant, zero before it
	 */
	static byte[] data(Claim claim, Duration held) {
		return "%s\n%s\n%s".formatted(claim.owner().token(), claim.lease().toMillis(), held.toMillis())
			.getBytes(StandardCharsets.US_ASCII);
	}

	/** Return the claim token in the data of a node, which may be another text. */
	static String token(byte @Nullable [] data) {
		return line(data, 0);
	}

	/** Return how long a claim had held its key when this data was written. */
	static Duration held(byte @Nullable [] data) {
		String millis = line(data, 2);
		return MILLIS.matcher(millis).matches() ? Duration.ofMillis(Long.parseLong(millis)) : Duration.ZERO;
	}

	private static String line(byte @Nullable [] data, int number) {
		String[] lines = (data != null) ? new String(data, StandardCharsets.US_ASCII).split("\n", -1) : new String[0];
		return (number < lines.length) ? lines[number] : "";
	}

	long number() {
		return number(this.zxid);
	}

	/** Return whether there are fencing tokens for the grant number. */
	boolean hasTokens() {
		return this.zxid <= LAST;
	}

	String name() {
		return this.path.substring(this.path.lastIndexOf('/') + 1);
	}

	/** Return whether a node at its path is this node. */
	boolean is(Stat other) {
		return other.getCzxid() == this.zxid && other.getEphemeralOwner() == this.session;
	}

}
