package io.leasehold.engine.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;

import org.jspecify.annotations.Nullable;

/**
 * Connection of a driver without network timeouts. It ignores them, because a pool
 * discards each connection that rejects a call.
 */
final class NetworkTimeouts implements InvocationHandler {

	private final Connection connection;

	private NetworkTimeouts(Connection connection) {
		this.connection = connection;
	}

	/** Return the connection, or one that ignores network timeouts if it has none. */
	static Connection orIgnored(Connection connection) throws SQLException {
		try {
			connection.setNetworkTimeout(Runnable::run, connection.getNetworkTimeout());
			return connection;
		}
		catch (SQLFeatureNotSupportedException ex) {
			return (Connection) Proxy.newProxyInstance(NetworkTimeouts.class.getClassLoader(),
					new Class<?>[] { Connection.class }, new NetworkTimeouts(connection));
		}
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
		switch (method.getName()) {
			case "setNetworkTimeout":
				return null;
			case "getNetworkTimeout":
				return 0;
			default:
				try {
					return method.invoke(this.connection, args);
				}
				catch (InvocationTargetException ex) {
					throw ex.getTargetException();
				}
		}
	}

}
