package io.leasehold.engine.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Data source that keeps the statements which were executed.
 */
class StatementLog extends DelegatingDataSource {

	private final List<String> executed = new CopyOnWriteArrayList<>();

	StatementLog(DataSource target) {
		super(target);
	}

	List<String> executed() {
		return List.copyOf(this.executed);
	}

	void clear() {
		this.executed.clear();
	}

	@Override
	public Connection getConnection() throws SQLException {
		return watch(Connection.class, super.getConnection(),
				(method, arguments, result) -> method.equals("prepareStatement")
						? watchStatement((PreparedStatement) result, (String) arguments[0]) : result);
	}

	private PreparedStatement watchStatement(PreparedStatement statement, String sql) {
		return watch(PreparedStatement.class, statement, (method, arguments, result) -> {
			if (method.startsWith("execute")) {
				this.executed.add(sql);
			}
			return result;
		});
	}

	private static <T> T watch(Class<T> type, T target, Watcher watcher) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				try {
					return watcher.called(method.getName(), arguments, method.invoke(target, arguments));
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

	private interface Watcher {

		Object called(String method, Object[] arguments, Object result);

	}

}
