package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.leasehold.engine.support.PlannedOnce;
import io.leasehold.engine.support.StartedThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Listener on a channel of PostgreSQL, with a separate thread and connection. It
 * reconnects after each failure.
 * <p>
 * A pooler in transaction mode accepts {@code LISTEN}, but then drops the notifications.
 * Once it is {@linkplain #prove() required}, the listener therefore publishes a payload
 * over another connection, and proves by its arrival that notifications reach the present
 * one. Thread-safe.
 */
abstract class ChannelListener implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(ChannelListener.class);

	/** Maximum silence of a connection before it is validated. */
	private static final Duration SILENCE = Duration.ofSeconds(5);

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(250);

	private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

	private final DataSource connections;

	private final String channel;

	private final ScheduledExecutorService thread = StartedThreads.of("leasehold-jdbc-listen-", 1);

	private final PlannedOnce listening = new PlannedOnce();

	private Duration pause = SHORTEST_PAUSE;

	private volatile @Nullable Connection connection;

	private volatile boolean proves;

	private volatile boolean proven;

	/** Payload of the proof, if it was published for the present connection. */
	private @Nullable String expected;

	ChannelListener(DataSource connections, String channel) {
		this.connections = connections;
		this.channel = channel;
	}

	/** Process a notification. */
	abstract void receive(String payload);

	/** Called at each start, because earlier notifications may be lost. */
	abstract void missed();

	/** Begin to listen, unless that has begun. */
	void start() {
		this.listening.plan(() -> this.thread.execute(this::run));
	}

	/** Begin to listen, and to prove for each connection that notifications arrive. */
	void prove() {
		this.proves = true;
		start();
	}

	/** Return whether notifications arrive over the present connection. */
	boolean isProven() {
		return this.proven;
	}

	private void run() {
		try (Connection opened = this.connections.getConnection()) {
			this.connection = opened;
			listen(opened);
		}
		catch (SQLException ex) {
			logger.debug("No notifications: released locks are detected by polling until the listener reconnects", ex);
		}
		catch (RuntimeException | Error ex) { // such as no thread for the driver
			logger.warn("The listener for released locks failed; they are detected by polling until it reconnects", ex);
		}
		this.thread.schedule(this::run, this.pause.toNanos(), TimeUnit.NANOSECONDS);
		this.pause = longer(this.pause);
	}

	private void listen(Connection opened) throws SQLException {
		try (Statement statement = opened.createStatement()) {
			statement.execute("LISTEN " + this.channel);
		}
		missed();
		try {
			receiveAll(opened);
		}
		finally {
			this.proven = false;
			this.expected = null;
		}
	}

	private void receiveAll(Connection opened) throws SQLException {
		PGConnection notifying = opened.unwrap(PGConnection.class);
		while (!this.thread.isShutdown()) {
			publishProof();
			PGNotification[] notifications = notifying.getNotifications((int) SILENCE.toMillis());
			// Not before: a server or a proxy may accept each connection and break it
			this.pause = SHORTEST_PAUSE;
			for (PGNotification notification : notifications) {
				String payload = notification.getParameter();
				if (payload.equals(this.expected)) {
					this.proven = true;
				}
				else {
					receive(payload);
				}
			}
			if (notifications.length == 0 && !opened.isValid((int) SILENCE.toSeconds())) {
				return;
			}
		}
	}

	private void publishProof() {
		if (!this.proves || this.expected != null) {
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

	/** Return the pause after a pause. */
	static Duration longer(Duration pause) {
		Duration doubled = pause.multipliedBy(2);
		return (doubled.compareTo(LONGEST_PAUSE) < 0) ? doubled : LONGEST_PAUSE;
	}

	/** Break the present connection, so that another one replaces it. */
	void reconnect() {
		Connection current = this.connection;
		if (current != null) {
			try {
				current.abort(Runnable::run);
			}
			catch (SQLException ex) {
				logger.debug("Could not close the connection of the listener", ex);
			}
		}
	}

	@Override
	public void close() {
		this.thread.shutdown();
		reconnect();
	}

}
