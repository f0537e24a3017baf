package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import javax.sql.DataSource;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.engine.support.Jitter;
import io.leasehold.engine.support.OpenState;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Access to the database within the call timeout. The kind of database is determined by
 * the first call to which it responds. Thread-safe.
 */
final class LockDatabase implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LockDatabase.class);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(16);

	private final JdbcConnections connections;

	private final JdbcSettings settings;

	private final AtomicReference<@Nullable Known> known = new AtomicReference<>();

	private final OpenState state;

	private final GrantReports reports;

	/** {@code null} until the first use, constant afterwards. */
	private volatile @Nullable Boolean mayRecall;

	/**
	 * Create the access.
	 * @param reports receives what other processes publish about grants
	 */
	LockDatabase(JdbcConnections connections, JdbcSettings settings, OpenState state, GrantReports reports) {
		this.reports = reports;
		this.connections = connections;
		this.settings = settings;
		this.state = state;
	}

	/**
	 * Make a call. Retry if the database undid it because of a conflict and the time left
	 * is sufficient.
	 * @param kind purpose of the call
	 * @param action the action, such as {@code acquire lock 'a'}
	 */
	<T extends @Nullable Object> T call(CallKind kind, String action, @Nullable LockKey key, Work<T> work) {
		this.state.check(key);
		long deadline = Deadlines.after(this.settings.callTimeout());
		while (true) {
			long started = System.nanoTime();
			try (Session session = open(kind, deadline)) {
				return work.run(session, known(session).tables());
			}
			catch (SQLException ex) {
				long now = System.nanoTime();
				if (Failures.mayDependOnConnection(ex)) {
					replaceConnections();
				}
				if (!Failures.isUndone(ex) || deadline - now < now - started) {
					throw failure(action, key, ex);
				}
				logger.debug("Retrying to " + action, ex);
			}
			LockSupport.parkNanos(Jitter.shorten(LONGEST_PAUSE, Jitter.OF_BACKOFF).toNanos());
		}
	}

	private void replaceConnections() {
		WakeUps wakeUps = wakeUps();
		if (this.connections.replace() && wakeUps != null) {
			wakeUps.reconnect();
		}
	}

	/** Translate a failure of an action. */
	LockEngineException failure(String action, @Nullable LockKey key, SQLException thrown) {
		LockTables tables = tables();
		return this.state.reason(key, Failures.of(action, key, location(), this.settings.table(),
				(tables != null) ? tables.dialect() : null, thrown));
	}

	private Session open(CallKind kind, long deadline) throws SQLException {
		return this.connections.open(kind, deadline, kind.lockTimeout(this.settings.callTimeout()));
	}

	/** Return host and database, or {@code null} while they are unknown. */
	private @Nullable String location() {
		Known database = this.known.get();
		return (database != null) ? database.location() : this.connections.location();
	}

	/** Return the tables, or {@code null} while the kind of database is unknown. */
	@Nullable LockTables tables() {
		Known database = this.known.get();
		return (database != null) ? database.tables() : null;
	}

	/** Return the source of notifications, or {@code null} if there is none. */
	@Nullable WakeUps wakeUps() {
		Known database = this.known.get();
		return (database != null) ? database.wakeUps() : null;
	}

	/**
	 * Return whether this process can be notified if another one wants a key. Unless the
	 * database has responded before the first call, its URL decides.
	 */
	boolean mayRecall() {
		Boolean decided = this.mayRecall;
		if (decided == null) {
			decided = (this.known.get() != null) ? wakeUps() != null
					: this.settings.channel() != null && this.connections.areOfPostgres();
			this.mayRecall = decided;
		}
		return decided;
	}

	/** Begin to listen to notifications, if there are any. */
	void listen() {
		WakeUps wakeUps = wakeUps();
		if (wakeUps != null) {
			wakeUps.start();
		}
	}

	/** Begin to listen, and to prove that notifications arrive, if there are any. */
	void subscribeToRecalls() {
		WakeUps wakeUps = wakeUps();
		if (wakeUps != null) {
			wakeUps.prove();
		}
	}

	/** Return whether recalls arrive now, as far as is known. */
	boolean receivesRecalls() {
		WakeUps wakeUps = wakeUps();
		return wakeUps != null && wakeUps.areProven();
	}

	private Known known(Session session) throws SQLException {
		Known database = this.known.get();
		if (database != null) {
			return database;
		}
		Known found = find(session.connection());
		return this.known.compareAndSet(null, found) ? found : Objects.requireNonNull(this.known.get());
	}

	private Known find(Connection connection) throws SQLException {
		Dialect dialect = Dialects.of(connection);
		DataSource kept = this.connections.forNotifications();
		String channel = this.settings.channel();
		String location = this.connections.location();
		if (location == null) {
			location = Failures.location(connection.getMetaData().getURL());
		}
		WakeUps wakeUps = (kept != null && channel != null && dialect.listens())
				? new WakeUps(kept, channel, this.reports::receive) : null;
		return new Known(LockTables.of(dialect, this.settings, wakeUps != null), wakeUps, location);
	}

	@Override
	public void close() {
		WakeUps wakeUps = wakeUps();
		if (wakeUps != null) {
			wakeUps.close();
		}
		this.connections.close();
	}

	/** Properties that are known once the database has responded. */
	private record Known(LockTables tables, @Nullable WakeUps wakeUps, @Nullable String location) {
	}

	/** Work with the tables in a session. */
	interface Work<T extends @Nullable Object> {

		T run(Session session, LockTables tables) throws SQLException;

	}

}
