package io.leasehold.engine.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * Credentials of a database user.
 *
 * @param username name of the user, or {@code null} for none
 * @param password password of the user, or {@code null} for none
 */
public record JdbcLogin(@Nullable String username, @Nullable String password) {

	/** Return a text with the user's name only. */
	@Override
	public String toString() {
		return "JdbcLogin[username=%s]".formatted(this.username);
	}

}
