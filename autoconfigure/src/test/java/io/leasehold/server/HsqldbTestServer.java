package io.leasehold.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;

import static org.awaitility.Awaitility.await;

/**
 * An HSQLDB server with an empty database in memory, on a free port of this machine.
 */
public final class HsqldbTestServer implements AutoCloseable {

	private final int port = Ports.free();

	private final Process process;

	private HsqldbTestServer() {
		try {
			this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
					System.getProperty("java.class.path"), "-XX:TieredStopAtLevel=1", "org.hsqldb.server.Server",
					"--database.0", "mem:locks;hsqldb.tx=mvcc", "--dbname.0", "locks", "--address", "127.0.0.1",
					"--port", Integer.toString(this.port), "--silent", "true")
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Start a server. */
	public static HsqldbTestServer start() {
		HsqldbTestServer server = new HsqldbTestServer();
		await().atMost(ServerLimit.LIMIT).ignoreExceptions().until(() -> {
			try (Connection connection = DriverManager.getConnection(server.url())) {
				return connection.isValid(1);
			}
		});
		return server;
	}

	/** URL that needs neither user nor password beside it. */
	public String url() {
		return "jdbc:hsqldb:hsql://127.0.0.1:%d/locks;user=SA".formatted(this.port);
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
	}

}
