package io.leasehold.engine.jdbc;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.ResponseTimeContract;
import io.leasehold.test.contract.MovingClock;
import org.junit.jupiter.api.AfterEach;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * The contract of late responses, kept by {@link JdbcLockEngine} on the server of a
 * database.
 */
abstract class JdbcResponseTimeContract extends ResponseTimeContract {

	private final String platform;

	private final FaultProxy proxy;

	JdbcResponseTimeContract(String platform, int port) {
		this.platform = platform;
		this.proxy = FaultProxy.to(port);
	}

	/** URL of the database at a port, which may be that of a proxy. */
	abstract String url(int port);

	@AfterEach
	void closeProxy() throws IOException {
		this.proxy.close();
	}

	@Override
	protected LockEngine connect(String namespace, Member member, MovingClock clock) {
		createTable();
		this.proxy.replies().beforeEach(clock::responded);
		return JdbcLockEngineContract.open(namespace, url(this.proxy.port()), clock);
	}

	private void createTable() {
		try (Connection connection = DriverManager.getConnection(url(this.proxy.port()))) {
			ScriptUtils.executeSqlScript(connection, new ClassPathResource(LockTableScript.location(this.platform)));
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
