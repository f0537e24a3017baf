package io.leasehold.benchmark.contender;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

import com.zaxxer.hikari.HikariDataSource;

/**
 * The least that a lock in a database has to do, through HikariCP: an upsert that
 * acquires a free or expired row, and an update that compares and releases.
 */
final class BareJdbc implements Contender {

	/** The upsert of PostgreSQL, which changes nothing if the row is locked. */
	static final String POSTGRESQL = """
			INSERT INTO bare_lock (id, owner, lock_until) VALUES (?, ?, now() + INTERVAL '30' SECOND)
			ON CONFLICT (id) DO UPDATE SET owner = EXCLUDED.owner, lock_until = EXCLUDED.lock_until
			WHERE bare_lock.lock_until <= now()""";

	/** The upsert of MySQL and MariaDB. */
	static final String MYSQL = """
			INSERT INTO bare_lock (id, owner, lock_until) VALUES (?, ?, NOW(6) + INTERVAL 30 SECOND)
			ON DUPLICATE KEY UPDATE owner = IF(lock_until <= NOW(6), VALUES(owner), owner),
			lock_until = IF(lock_until <= NOW(6), VALUES(lock_until), lock_until)""";

	private static final String FREE = "UPDATE bare_lock SET lock_until = CURRENT_TIMESTAMP(6) "
			+ "WHERE id = ? AND owner = ?";

	private final HikariDataSource pool;

	private final String take;

	private final AtomicLong owners = new AtomicLong();

	private final String self = Long.toString(ProcessHandle.current().pid());

	BareJdbc(HikariDataSource pool, String take) {
		this.pool = pool;
		this.take = take;
	}

	@Override
	public Held acquire(String key) throws Exception {
		String owner = this.self + ":" + this.owners.incrementAndGet();
		Polling.until(() -> update(this.take, key, owner));
		return () -> update(FREE, key, owner);
	}

	private boolean update(String sql, String key, String owner) throws SQLException {
		try (Connection connection = this.pool.getConnection();
				PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.setString(1, key);
			statement.setString(2, owner);
			return statement.executeUpdate() > 0;
		}
	}

	@Override
	public void close() {
		this.pool.close();
	}

}
