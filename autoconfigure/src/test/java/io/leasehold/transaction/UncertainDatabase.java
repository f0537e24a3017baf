package io.leasehold.transaction;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.UUID;

import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * A database whose commits of changes end as a test decides. A commit without a response
 * is carried out later, after its client has gone.
 */
final class UncertainDatabase {

	enum Outcome {

		DONE, REFUSED, UNKNOWN

	}

	private final DataSource database;

	private Outcome outcome = Outcome.DONE;

	private Runnable whenCommitted = () -> {
	};

	private @Nullable SqlAction late;

	UncertainDatabase() {
		this(h2());
	}

	UncertainDatabase(DataSource database) {
		this.database = database;
		observer().execute("DROP TABLE IF EXISTS sale");
		observer().execute("CREATE TABLE sale (id VARCHAR(100))");
	}

	private static JdbcDataSource h2() {
		JdbcDataSource h2 = new JdbcDataSource();
		h2.setUrl("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
		return h2;
	}

	/** Return another connection, whose commits are certain. */
	JdbcTemplate observer() {
		return new JdbcTemplate(this.database);
	}

	/** Decide the outcome of the next commits. */
	void expect(Outcome outcome, Runnable whenCommitted) {
		this.outcome = outcome;
		this.whenCommitted = whenCommitted;
	}

	/** Carry out the commit that its client has no response of. */
	void arrive() throws SQLException {
		SqlAction commit = this.late;
		this.late = null;
		if (commit == null) {
			throw new AssertionError("No commit is on its way");
		}
		commit.run();
		this.whenCommitted.run();
	}

	private void commit(SqlAction commit, SqlAction rollback, Runnable unknown) throws SQLException {
		switch (this.outcome) {
			case DONE -> {
				commit.run();
				this.whenCommitted.run();
			}
			case REFUSED -> {
				rollback.run();
				throw new SQLException("A deferred constraint is violated", "23505");
			}
			case UNKNOWN -> {
				this.late = commit;
				unknown.run();
				throw new SQLNonTransientConnectionException("The connection has timed out", "08006");
			}
		}
	}

	DataSource dataSource() {
		return new AbstractDataSource() {

			@Override
			public Connection getConnection() throws SQLException {
				Connection real = UncertainDatabase.this.database.getConnection();
				return proxy(Connection.class, new Client(real));
			}

			@Override
			public Connection getConnection(String username, String password) throws SQLException {
				return getConnection();
			}

		};
	}

	XADataSource xaDataSource() {
		return proxy(XADataSource.class, (proxy, method, arguments) -> {
			Object result = invoke(this.database, method, arguments);
			return (result instanceof XAConnection connection) ? proxy(XAConnection.class, new XaClient(connection))
					: result;
		});
	}

	private static <T> T proxy(Class<T> type, InvocationHandler handler) {
		return type
			.cast(Proxy.newProxyInstance(UncertainDatabase.class.getClassLoader(), new Class<?>[] { type }, handler));
	}

	private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
			throws Throwable {
		try {
			return method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	/** A connection that is closed for its client once a commit has no response. */
	private final class Client implements InvocationHandler {

		private final Connection real;

		private boolean broken;

		Client(Connection real) {
			this.real = real;
		}

		@Override
		public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
			if (this.broken) {
				return switch (method.getName()) {
					case "close" -> null;
					case "isClosed" -> true;
					case "isValid" -> false;
					case "hashCode" -> System.identityHashCode(proxy);
					case "equals" -> proxy == arguments[0];
					default -> throw new SQLNonTransientConnectionException("The connection is closed", "08003");
				};
			}
			if (method.getName().equals("commit")) {
				commit(this.real::commit, this.real::rollback, () -> this.broken = true);
				return null;
			}
			return UncertainDatabase.invoke(this.real, method, arguments);
		}

	}

	/** An XA connection, which stays open for a commit that has no response. */
	private final class XaClient implements InvocationHandler {

		private final XAConnection real;

		private boolean broken;

		XaClient(XAConnection real) {
			this.real = real;
		}

		@Override
		public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
			if (method.getName().equals("close") && this.broken) {
				return null;
			}
			Object result = UncertainDatabase.invoke(this.real, method, arguments);
			return (result instanceof XAResource resource)
					? proxy(XAResource.class, (self, called, values) -> called.getName().equals("commit")
							? commitXa(resource, (Xid) values[0]) : UncertainDatabase.invoke(resource, called, values))
					: result;
		}

		private @Nullable Object commitXa(XAResource resource, Xid xid) throws XAException {
			try {
				commit(() -> run(() -> resource.commit(xid, true)), () -> run(() -> resource.rollback(xid)),
						() -> this.broken = true);
				return null;
			}
			catch (SQLException ex) {
				throw new XAException(this.broken ? XAException.XAER_RMFAIL : XAException.XA_RBINTEGRITY);
			}
		}

		private static void run(XaAction action) throws SQLException {
			try {
				action.run();
			}
			catch (XAException ex) {
				throw new SQLException(ex);
			}
		}

	}

	private interface SqlAction {

		void run() throws SQLException;

	}

	private interface XaAction {

		void run() throws XAException;

	}

}
