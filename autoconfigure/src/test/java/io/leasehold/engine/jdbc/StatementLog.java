package io.leasehold.engine.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Data source that keeps the statements which were executed, and lets something happen
 * before one of them, or lets its result get lost.
 */
class StatementLog extends DelegatingDataSource {

	private final List<String> executed = new CopyOnWriteArrayList<>();

	private final List<SQLException> failures = new CopyOnWriteArrayList<>();

	private volatile @Nullable Interruption next;

	private volatile @Nullable Loss lost;

	StatementLog(DataSource target) {
		super(target);
	}

	/** Statements that were executed without a failure. */
	List<String> executed() {
		return List.copyOf(this.executed);
	}

	/** Why others failed. */
	List<SQLException> failures() {
		return List.copyOf(this.failures);
	}

	void clear() {
		this.executed.clear();
		this.failures.clear();
	}

	/** Do something before the next statement with that text, in its thread. */
	void before(String text, Runnable action) {
		this.next = new Interruption(text, action);
	}

	/** Let the next statement with that text fail after it was executed. */
	void failAfter(String text, SQLException failure) {
		this.lost = new Loss(text, failure);
	}

	@Override
	public Connection getConnection() throws SQLException {
		return watch(Connection.class, super.getConnection(), (connection, method, arguments) -> {
			Object result = method.invoke(connection, arguments);
			return method.getName().equals("prepareStatement")
					? watchStatement((PreparedStatement) result, (String) arguments[0]) : result;
		});
	}

	private PreparedStatement watchStatement(PreparedStatement watched, String sql) {
		return watch(PreparedStatement.class, watched, (statement, method, arguments) -> {
			if (!method.getName().startsWith("execute")) {
				return method.invoke(statement, arguments);
			}
			interrupt(sql);
			try {
				Object result = method.invoke(statement, arguments);
				this.executed.add(sql);
				lose(sql);
				return result;
			}
			catch (InvocationTargetException ex) {
				this.failures.add((SQLException) ex.getCause());
				throw ex;
			}
		});
	}

	private void interrupt(String sql) {
		Interruption interruption = this.next;
		if (interruption != null && sql.contains(interruption.text())) {
			this.next = null;
			interruption.action().run();
		}
	}

	private void lose(String sql) throws InvocationTargetException {
		Loss loss = this.lost;
		if (loss != null && sql.contains(loss.text())) {
			this.lost = null;
			throw new InvocationTargetException(loss.failure());
		}
	}

	private static <T> T watch(Class<T> type, T target, Watcher<T> watcher) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				try {
					return watcher.call(target, method, arguments);
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

	private record Interruption(String text, Runnable action) {
	}

	private record Loss(String text, SQLException failure) {
	}

	private interface Watcher<T> {

		@Nullable Object call(T target, Method method, Object[] arguments) throws ReflectiveOperationException;

	}

}
