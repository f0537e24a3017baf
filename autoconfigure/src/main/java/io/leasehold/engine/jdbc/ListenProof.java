package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Proof that notifications of other connections reach a listener. A pooler in transaction
 * mode accepts {@code LISTEN}, but then drops the notifications. It is sought only once
 * it is required. Thread-safe, except for the methods of the listener.
 */
final class ListenProof {

	private static final Log logger = LogFactory.getLog(ListenProof.class);

	private final DataSource connections;

	private final String channel;

	private volatile boolean required;

	private volatile boolean given;

	/** Payload that is expected on the present connection, if it was published. */
	private @Nullable String expected;

	ListenProof(DataSource connections, String channel) {
		this.connections = connections;
		this.channel = channel;
	}

	/** Seek the proof from now on, for each connection. */
	void require() {
		this.required = true;
	}

	/** Return whether the proof is given for the present connection. */
	boolean isGiven() {
		return this.given;
	}

	/** Publish a payload over another connection, once for each listening connection. */
	void publish() {
		if (!this.required || this.expected != null) {
			return;
		}
		String payload = "listening " + UUID.randomUUID();
		try (Connection other = this.connections.getConnection();
				PreparedStatement statement = other.prepareStatement("SELECT pg_notify(?, ?)")) {
			statement.setString(1, this.channel);
			statement.setString(2, payload);
			statement.execute();
			this.expected = payload;
		}
		catch (SQLException ex) {
			logger.debug("Could not check whether notifications arrive", ex);
		}
	}

	/** Process a notification, and return whether it gives the proof. */
	boolean receive(String payload) {
		if (payload.equals(this.expected)) {
			this.given = true;
			return true;
		}
		return false;
	}

	/** Withdraw the proof, because the connection has ended. */
	void end() {
		this.given = false;
		this.expected = null;
	}

}
