package io.leasehold.engine.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.support.OpenState;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The first call on PostgreSQL, during which the engine is closed.
 */
class PostgresClosedDatabaseIntegrationTests {

	private static final AtomicReference<Runnable> DURING_FIRST_CALL = new AtomicReference<>();

	/** The engine found no notifications to close, because this call creates them. */
	@Test
	@Fault(194)
	void notificationsThatACallCreatesAfterTheCloseAreClosed() {
		JdbcSettings settings = new JdbcSettings("ns", JdbcSettings.DEFAULT_TABLE, Duration.ofSeconds(30),
				Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofDays(7), true);
		OpenState state = new OpenState("jdbc");
		try (JdbcConnections connections = JdbcConnections.open(PostgresTestServer.shared().url(),
				HookedDriver.class.getName(), null, null, 2, Duration.ofSeconds(30))) {
			LockDatabase database = new LockDatabase(connections, settings, state,
					new GrantReports(settings, MonotonicClock.SYSTEM));
			Set<Thread> before = listeners();
			DURING_FIRST_CALL.set(state::close);
			database.call(CallKind.ACQUIRE, "begin", null, (session, tables) -> tables);
			assertThat(state.isClosed()).isTrue();
			assertThat(database.wakeUps()).isNotNull();
			await().until(() -> before.containsAll(listeners()));
		}
	}

	private static Set<Thread> listeners() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("leasehold-jdbc-listen"))
			.collect(Collectors.toSet());
	}

	/** Driver whose connections run an action when they are asked for the database. */
	static class HookedDriver extends org.postgresql.Driver {

		@Override
		public Connection connect(String url, Properties info) throws SQLException {
			Connection opened = super.connect(url, info);
			return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
					(proxy, method, arguments) -> {
						Runnable action = method.getName().equals("getMetaData") ? DURING_FIRST_CALL.getAndSet(null)
								: null;
						if (action != null) {
							action.run();
						}
						try {
							return method.invoke(opened, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

	}

}
