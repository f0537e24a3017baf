package io.leasehold.engine.jdbc;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.AnswerTimeContract;
import io.leasehold.test.contract.MovingClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * Late answers of {@link JdbcLockEngine}.
 */
class PostgresAnswerTimeIntegrationTests extends AnswerTimeContract {

	private final FaultProxy proxy = FaultProxy.to(PostgresTestServer.shared().port());

	@BeforeAll
	static void createTable() throws SQLException {
		try (Connection connection = DriverManager.getConnection(PostgresTestServer.shared().url())) {
			ScriptUtils.executeSqlScript(connection, new ClassPathResource(LockTableScript.location("postgresql")));
		}
	}

	@AfterEach
	void closeProxy() throws IOException {
		this.proxy.close();
	}

	@Override
	protected LockEngine connect(String namespace, Member member, MovingClock clock) {
		this.proxy.replies().beforeEach(clock::answered);
		return JdbcLockEngineContract.open(namespace, PostgresTestServer.shared().url(this.proxy.port()), clock);
	}

}
