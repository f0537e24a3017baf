package io.leasehold.transaction;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.XAConnection;
import javax.sql.XADataSource;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;

import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * A database that takes part in the JTA transaction of the calling thread, as in an
 * application server: one connection per transaction, open until its end, on which
 * commits are rejected. Thread-safe.
 */
final class EnlistedDataSource extends AbstractDataSource {

	private final XADataSource database;

	private final TransactionManager jta;

	private final Map<Transaction, Connection> enlisted = new ConcurrentHashMap<>();

	private final AtomicInteger open = new AtomicInteger();

	EnlistedDataSource(XADataSource database, TransactionManager jta) {
		this.database = database;
		this.jta = jta;
	}

	/** Return the number of connections to the database. */
	int open() {
		return this.open.get();
	}

	@Override
	public Connection getConnection() throws SQLException {
		try {
			Transaction transaction = this.jta.getTransaction();
			if (transaction == null) {
				XAConnection own = connect();
				return handle(own.getConnection(), false, () -> close(own));
			}
			Connection known = this.enlisted.get(transaction);
			return (known != null) ? known : enlist(transaction);
		}
		catch (SystemException | RollbackException ex) {
			throw new SQLException(ex);
		}
	}

	@Override
	public Connection getConnection(String user, String password) {
		throw new UnsupportedOperationException();
	}

	private Connection enlist(Transaction transaction) throws SQLException, SystemException, RollbackException {
		XAConnection physical = connect();
		transaction.enlistResource(physical.getXAResource());
		Connection handle = handle(physical.getConnection(), true, () -> {
		});
		this.enlisted.put(transaction, handle);
		transaction.registerSynchronization(new Synchronization() {

			@Override
			public void beforeCompletion() {
			}

			@Override
			public void afterCompletion(int status) {
				EnlistedDataSource.this.enlisted.remove(transaction);
				try {
					close(physical);
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
			}

		});
		return handle;
	}

	private XAConnection connect() throws SQLException {
		XAConnection physical = this.database.getXAConnection();
		this.open.incrementAndGet();
		return physical;
	}

	private void close(XAConnection physical) throws SQLException {
		this.open.decrementAndGet();
		physical.close();
	}

	private static Connection handle(Connection connection, boolean enlisted, Close close) {
		return (Connection) Proxy.newProxyInstance(EnlistedDataSource.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					switch (method.getName()) {
						case "close" -> {
							close.run();
							return null;
						}
						case "commit", "rollback", "setAutoCommit" -> {
							if (enlisted) {
								throw new SQLException("The transaction of this connection belongs to JTA");
							}
						}
						case "getAutoCommit" -> {
							if (enlisted) {
								return false;
							}
						}
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	private interface Close {

		void run() throws SQLException;

	}

}
