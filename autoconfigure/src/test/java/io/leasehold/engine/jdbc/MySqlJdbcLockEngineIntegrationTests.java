package io.leasehold.engine.jdbc;

import java.sql.SQLException;

import io.leasehold.server.MySqlTestServer;
import org.junit.jupiter.api.Test;

/**
 * The engine on MySQL.
 */
class MySqlJdbcLockEngineIntegrationTests extends MySqlFamilyJdbcLockEngineTests {

	@Override
	int port() {
		return MySqlTestServer.shared().port();
	}

	@Override
	String url(int port) {
		return MySqlTestServer.shared().url(port);
	}

	@Override
	String platform() {
		return "mysql";
	}

	@Override
	String lockTimeoutVariable() {
		return "innodb_lock_wait_timeout";
	}

	@Test
	void userWithoutAllPrivilegesIsToldWhatToGrant() throws SQLException {
		String user = newUser();
		execute("CREATE USER " + user);
		try {
			assertAllPrivilegesAreNeeded(user, url().replace("user=root", "user=" + user));
		}
		finally {
			execute("DROP USER " + user);
		}
	}

}
