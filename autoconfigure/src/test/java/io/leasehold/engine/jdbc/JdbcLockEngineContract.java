package io.leasehold.engine.jdbc;

import java.net.SocketException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.SharedLockEngineContract;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * The contract, kept by {@link JdbcLockEngine} on every database.
 */
@Fault(194)
abstract class JdbcLockEngineContract extends SharedLockEngineContract {

	/** URL of the database, with user and password. */
	abstract String url();

	/** Name of the platform, as in the location of the table's script. */
	abstract String platform();

	/** HSQLDB's server may break a new connection on a busy machine. */
	@BeforeEach
	void createTable() {
		Awaitility.await()
			.pollInSameThread()
			.ignoreExceptionsMatching((ex) -> NestedExceptionUtils.getMostSpecificCause(ex) instanceof SocketException)
			.untilAsserted(this::createTableOnce);
	}

	/** PostgreSQL rejects concurrent statements that create the same table. */
	private void createTableOnce() throws SQLException {
		synchronized (JdbcLockEngineContract.class) {
			try (Connection connection = DriverManager.getConnection(url())) {
				ScriptUtils.executeSqlScript(connection, new ClassPathResource(LockTableScript.location(platform())));
			}
		}
	}

	@Override
	protected EngineAddress address() {
		return new EngineAddress(Opener.class, List.of(url()));
	}

	/** Each of them a row of its own, which takes three statements at first. */
	@Override
	protected int manyLocks() {
		return 600;
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		try (Connection connection = DriverManager.getConnection(url());
				PreparedStatement statement = connection.prepareStatement("DELETE FROM leasehold_lock WHERE id = ?")) {
			statement.setBytes(1, RowId.of(namespace, key).bytes());
			statement.executeUpdate();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	protected Collection<String> residue(String namespace) {
		try (Connection connection = DriverManager.getConnection(url());
				PreparedStatement statement = connection.prepareStatement(
						"SELECT lock_key FROM leasehold_lock WHERE namespace = ? AND (owner IS NOT NULL OR shared_until > 0 "
								+ "OR EXISTS (SELECT 1 FROM leasehold_lock_holder WHERE lock_id = id))")) {
			statement.setString(1, namespace);
			try (ResultSet rows = statement.executeQuery()) {
				List<String> keys = new ArrayList<>();
				while (rows.next()) {
					keys.add(rows.getString(1));
				}
				return keys;
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static LockEngine open(String namespace, String url, MonotonicClock clock) {
		Duration callTimeout = Duration.ofSeconds(30);
		JdbcSettings settings = new JdbcSettings(namespace, JdbcSettings.DEFAULT_TABLE, callTimeout,
				Duration.ofMillis(5), Duration.ofMillis(100), Duration.ofMinutes(1), true);
		JdbcLockEngine engine = new JdbcLockEngine(JdbcConnections.open(url, null, null, null, 4, callTimeout),
				settings, clock);
		engine.start(); // the first connection takes its time on a loaded machine
		return engine;
	}

	/**
	 * Connects to a database by its URL.
	 */
	public static final class Opener implements EngineAddress.Opener {

		@Override
		public LockEngine open(String namespace, Member member, List<String> arguments) {
			return JdbcLockEngineContract.open(namespace, arguments.get(0), MonotonicClock.SYSTEM);
		}

	}

}
