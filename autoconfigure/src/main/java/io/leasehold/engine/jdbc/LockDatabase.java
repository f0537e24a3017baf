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
import io.leasehold.engine.support.Actions;
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

	private final AtomicReference<@Nullable LockTables> known = new AtomicReference<>();

	private final OpenState state;

	private final GrantReports reports;

	/** Host and database, {@code null} while they are unknown. */
	private volatile @Nullable String location;

	/** {@code null} until the first use, constant afterwards. */
	private volatile @Nullable Boolean mayRecall;

	LockDatabase(JdbcConnections connections, JdbcSettings settings, OpenState state, GrantReports reports) {
		this.reports = reports;
		this.connections = connections;
		this.settings = settings;
		this.state = state;
		this.location = connections.location();
	}

	/**
	 * Make a call. Retry if the database undid it because of a conflict and the time left
	 * is sufficient.
	 * @param kind purpose of the call
	 * @param action {@linkplain Actions#of action}, such as {@code acquire}
	 * @param key the lock's key, or {@code null} if no single lock is affected
	 */
	<T extends @Nullable Object> T call(CallKind kind, String action, @Nullable LockKey key, Work<T> work) {
		this.state.check(key);
		long deadline = Deadlines.after(this.settings.callTimeout());
		while (true) {
			long started = System.nanoTime();
			try (Session session = this.connections.open(kind, deadline,
					kind.lockTimeout(this.settings.callTimeout()))) {
				return work.run(session, tables(session));
			}
			catch (SQLException ex) {
				long now = System.nanoTime();
				if (Failures.mayDependOnConnection(ex)) {
					replaceConnections();
				}
				if (!Failures.isUndone(ex) || deadline - now < now - started) {
					throw failure(Actions.of(action, key), key, ex);
				}
				logger.debug("Retrying to " + Actions.of(action, key), ex);
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

	/** Translate a failure of an action, such as {@code acquire lock 'a'}. */
	LockEngineException failure(String action, @Nullable LockKey key, SQLException thrown) {
		LockTables tables = tables();
		return this.state.reason(key, Failures.of(action, key, this.location, this.settings.table(),
				(tables != null) ? tables.sql().dialect() : null, thrown));
	}

	/** Return the id of a key's row. */
	RowId id(LockKey key) {
		return RowId.of(this.settings.namespace(), key);
	}

	/** Return host and database, or {@code null} while they are unknown. */
	@Nullable String location() {
		return this.location;
	}

	/** Return the tables, or {@code null} while the kind of database is unknown. */
	@Nullable LockTables tables() {
		return this.known.get();
	}

	/** Return the source of notifications, or {@code null} if there is none. */
	@Nullable WakeUps wakeUps() {
		LockTables tables = tables();
		return (tables != null) ? tables.wakeUps() : null;
	}

	/**
	 * Return whether this process can be notified if another one wants a key. Unless the
	 * database has responded before the first call, its URL decides.
	 */
	boolean mayRecall() {
		Boolean decided = this.mayRecall;
		if (decided == null) {
			decided = (tables() != null) ? wakeUps() != null
					: this.settings.channel() != null && this.connections.areOfPostgres();
			this.mayRecall = decided;
		}
		return decided;
	}

	private LockTables tables(Session session) throws SQLException {
		LockTables tables = tables();
		if (tables != null) {
			return tables;
		}
		LockTables found = find(session.connection());
		boolean used = this.known.compareAndSet(null, found) && !this.state.isClosed();
		if (!used && found.wakeUps() != null) {
			found.wakeUps().close();
		}
		return Objects.requireNonNull(tables());
	}

	private LockTables find(Connection connection) throws SQLException {
		Dialect dialect = Dialects.of(connection);
		if (this.location == null) {
			this.location = Failures.location(connection.getMetaData().getURL());
		}
		DataSource kept = this.connections.forNotifications();
		String channel = this.settings.channel();
		return LockTables.of(dialect, this.settings, (kept != null && channel != null && dialect.listens())
				? new WakeUps(kept, channel, this.reports::receive) : null);
	}

	@Override
	public void close() {
		WakeUps wakeUps = wakeUps();
		if (wakeUps != null) {
			wakeUps.close();
		}
		this.connections.close();
	}

	/** Work with the tables in a session. */
	interface Work<T extends @Nullable Object> {

		T run(Session session, LockTables tables) throws SQLException;

	}

}
