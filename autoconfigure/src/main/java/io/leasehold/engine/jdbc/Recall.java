package io.leasehold.engine.jdbc;

import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Request for the release of a grant that lingers, as published: {@code recall <mark>}.
 * The mark is that of the row. It reveals nothing about the claim token, from which it is
 * computed, so that a claim has the same mark in each of its requests.
 *
 * @param mark mark of the claim that has the grant, at least {@value #LEAST}
 */
record Recall(long mark) {

	/** The number 1 marks a grant that lingered until it was renewed. */
	static final long LEAST = 2;

	private static final Pattern PAYLOAD = Pattern.compile("recall (\\d{1,18})");

	/** Return the recall of a claim. */
	static Recall of(Claim claim) {
		byte[] digest = claim.key().digest(claim.owner().token());
		// 18 digits at most, so that the difference to a time cannot overflow
		return new Recall(Math.max(LEAST, ByteBuffer.wrap(digest).getLong() >>> 5));
	}

	/** Parse a payload; {@code null} if it does not recall a grant. */
	static @Nullable Recall parse(String payload) {
		Matcher parts = PAYLOAD.matcher(payload);
		return parts.matches() ? new Recall(Long.parseLong(parts.group(1))) : null;
	}

	@Override
	public String toString() {
		return "recall " + this.mark;
	}

}
