package io.leasehold.engine.jdbc;

import java.sql.SQLException;

import org.h2.tools.Server;

/**
 * The contract of late responses, kept by {@link JdbcLockEngine} on an H2 server.
 */
class H2ResponseTimeTests extends JdbcResponseTimeContract {

	private static final Server SERVER = start();

	H2ResponseTimeTests() {
		super("h2", SERVER.getPort());
	}

	private static Server start() {
		try {
			return Server.createTcpServer("-tcpPort", "0", "-tcpDaemon", "-ifNotExists").start();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	String url(int port) {
		return "jdbc:h2:tcp://127.0.0.1:%d/mem:responses;DB_CLOSE_DELAY=-1".formatted(port);
	}

}
