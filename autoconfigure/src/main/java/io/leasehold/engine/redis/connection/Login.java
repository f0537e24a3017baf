package io.leasehold.engine.redis.connection;

import org.jspecify.annotations.Nullable;

/**
 * Credentials and database of a connection.
 *
 * @param username name of the account, or {@code null} for the default account
 * @param password password, or {@code null} for none
 * @param database index of the database
 */
public record Login(@Nullable String username, char @Nullable [] password, int database) {
}
