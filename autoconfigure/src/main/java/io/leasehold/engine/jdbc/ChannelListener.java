package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Listener on a channel of PostgreSQL, with a separate thread and connection. It
 * reconnects after each failure. Thread-safe.
 */
final class ChannelListener implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(ChannelListener.class);

	/** Maximum silence of a connection before it is validated. */
	private static final Duration SILENCE = Duration.ofSeconds(5);

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(250);

	private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

	private final DataSource connections;

	private final String channel;

	private final Consumer<String> payloads;

	private final Runnable listening;

	private final ListenProof proof;

	private final ThreadFactory threads;

	private Duration pause = SHORTEST_PAUSE;

	private volatile @Nullable Thread thread;

	private volatile @Nullable Connection connection;

	private volatile boolean closed;

	/**
	 * Create a listener.
	 * @param proof proof that notifications arrive
	 * @param payloads receives each other notification
	 * @param listening called at each start, because earlier notifications may be lost
	 * @param threads creates the thread
	 */
	ChannelListener(DataSource connections, String channel, ListenProof proof, Consumer<String> payloads,
			Runnable listening, ThreadFactory threads) {
		this.connections = connections;
		this.channel = channel;
		this.proof = proof;
		this.payloads = payloads;
		this.listening = listening;
		this.threads = threads;
	}

	/** Begin to listen, unless that has begun. The next use tries again if it fails. */
	void start() {
		if (this.thread == null) {
			startOnce();
		}
	}

	private synchronized void startOnce() {
		if (this.thread != null || this.closed) {
			return;
		}
		try {
			Thread created = this.threads.newThread(this::run);
			created.start();
			this.thread = created;
		}
		catch (OutOfMemoryError ex) {
			logger.debug("No thread is available to listen: released locks are detected by polling meanwhile", ex);
		}
	}

	static Thread daemon(Runnable run) {
		Thread thread = new Thread(run, "leasehold-jdbc-listen");
		thread.setDaemon(true);
		return thread;
	}

	private void run() {
		while (!this.closed) {
			try (Connection opened = this.connections.getConnection()) {
				this.connection = opened;
				listen(opened);
			}
			catch (SQLException ex) {
				logger.debug("No notifications: released locks are detected by polling until the listener reconnects",
						ex);
			}
			catch (RuntimeException | Error ex) { // such as no thread for the driver
				logger.warn("The listener for released locks failed; they are detected by polling until it reconnects",
						ex);
			}
			if (!this.closed) {
				LockSupport.parkNanos(this.pause.toNanos());
				this.pause = longer(this.pause);
			}
		}
	}

	private void listen(Connection opened) throws SQLException {
		try (Statement statement = opened.createStatement()) {
			statement.execute("LISTEN " + this.channel);
		}
		this.listening.run();
		try {
			receiveAll(opened);
		}
		finally {
			this.proof.end();
		}
	}

	private void receiveAll(Connection opened) throws SQLException {
		PGConnection notifying = opened.unwrap(PGConnection.class);
		while (!this.closed) {
			this.proof.publish();
			PGNotification[] notifications = notifying.getNotifications((int) SILENCE.toMillis());
			// Not before: a server or a proxy may accept each connection and break it
			this.pause = SHORTEST_PAUSE;
			for (PGNotification notification : notifications) {
				receive(notification.getParameter());
			}
			if (notifications.length == 0 && !opened.isValid((int) SILENCE.toSeconds())) {
				return;
			}
		}
	}

	private void receive(String payload) {
		if (!this.proof.receive(payload)) {
			this.payloads.accept(payload);
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
	public synchronized void close() {
		this.closed = true;
		LockSupport.unpark(this.thread);
		reconnect();
	}

}
