package io.leasehold.engine.jdbc;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Grant that was revoked, as published: {@code revoke <number>:<row>}. The number
 * identifies the grant within its row. Anybody who is connected to the database can
 * receive what is published, so it contains no claim token.
 *
 * @param number grant number
 * @param row {@linkplain RowId id} of the row
 */
record RevokedGrant(long number, String row) {

	private static final Pattern PAYLOAD = Pattern.compile("revoke (\\d{1,18}):([0-9a-f]{64})");

	/** Parse a payload; {@code null} if it does not report a revoked grant. */
	static @Nullable RevokedGrant parse(String payload) {
		Matcher parts = PAYLOAD.matcher(payload);
		return parts.matches() ? new RevokedGrant(Long.parseLong(parts.group(1)), parts.group(2)) : null;
	}

	@Override
	public String toString() {
		return "revoke %s:%s".formatted(this.number, this.row);
	}

}
