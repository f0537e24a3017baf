package io.leasehold.engine.jdbc;

import java.util.UUID;

/**
 * The engine on H2 in memory.
 */
class H2JdbcLockEngineTests extends JdbcLockFormsTests {

	private final String url = "jdbc:h2:mem:" + UUID.randomUUID();

	@Override
	String url() {
		return this.url;
	}

	@Override
	String platform() {
		return "h2";
	}

}
