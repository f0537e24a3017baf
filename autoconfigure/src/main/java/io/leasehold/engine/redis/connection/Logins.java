package io.leasehold.engine.redis.connection;

/**
 * Credentials of connections, which may change. They are read for each new connection, in
 * a thread of the engine; reading may block briefly. An exception fails the connection.
 */
public interface Logins {

	/** Return the login at the servers that keep locks. */
	Login atServers();

	/** Return the login at sentinels. */
	Login atSentinels();

}
