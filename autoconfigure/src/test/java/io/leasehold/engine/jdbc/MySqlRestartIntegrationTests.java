package io.leasehold.engine.jdbc;

import java.util.List;

import io.leasehold.server.MySqlTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/**
 * MySQL crashes and comes back.
 */
@Tag("full")
class MySqlRestartIntegrationTests extends DatabaseRestartTests {

	private final MySqlTestServer server = MySqlTestServer.start();

	@AfterEach
	void stop() throws Exception {
		this.server.close();
	}

	@Override
	String url() {
		return this.server.url();
	}

	@Override
	String platform() {
		return "mysql";
	}

	@Override
	void crash() throws Exception {
		this.server.kill();
	}

	@Override
	void startAgain() throws Exception {
		this.server.startAgain();
	}

	@Override
	String former() {
		return MySqlTestServer.shared().url();
	}

	@Override
	List<String> schemes() {
		return List.of("jdbc:mariadb", "jdbc:mysql");
	}

	@Override
	List<String> createUser(String user) {
		return List.of("CREATE USER " + user, "GRANT SELECT, INSERT, UPDATE, DELETE ON test.* TO " + user);
	}

	@Override
	List<String> readOnly(boolean readOnly) {
		return List.of("SET GLOBAL read_only = " + (readOnly ? 1 : 0));
	}

	@Override
	String whetherReadOnly() {
		return "SELECT @@GLOBAL.read_only";
	}

}
