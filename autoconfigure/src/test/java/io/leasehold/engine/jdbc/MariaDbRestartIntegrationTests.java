package io.leasehold.engine.jdbc;

import java.util.List;

import io.leasehold.server.MariaDbTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/**
 * MariaDB crashes and comes back.
 */
@Tag("full")
class MariaDbRestartIntegrationTests extends DatabaseRestartTests {

	private final MariaDbTestServer server = MariaDbTestServer.start();

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
		return "mariadb";
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
		return MariaDbTestServer.shared().url();
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
