package io.leasehold.engine.jdbc;

import java.sql.SQLException;

import org.h2.tools.Server;

/**
 * Leaders that an H2 server elects while it or the network fails.
 */
class H2LeaderFaultsTests extends JdbcLeaderFaultsContract {

	private static final Server SERVER = start();

	H2LeaderFaultsTests() {
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
		return "jdbc:h2:tcp://127.0.0.1:%d/mem:leaders;DB_CLOSE_DELAY=-1".formatted(port);
	}

}
