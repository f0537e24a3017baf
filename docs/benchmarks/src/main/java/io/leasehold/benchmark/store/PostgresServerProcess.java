package io.leasehold.benchmark.store;

import java.io.IOException;
import java.sql.SQLException;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL server without fsync.
 */
final class PostgresServerProcess implements Server {

	private final EmbeddedPostgres server;

	PostgresServerProcess() throws IOException, SQLException {
		this.server = EmbeddedPostgres.builder().start();
		Tables.create(address(), "postgresql", "postgresql");
	}

	@Override
	public String address() {
		return this.server.getJdbcUrl("postgres", "postgres");
	}

	@Override
	public void close() throws IOException {
		this.server.close();
	}

}
