package io.leasehold.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/**
 * A real server of the MySQL family on a free port of this machine, with data of its own,
 * that can be killed and started again.
 */
public abstract class MySqlFamilyTestServer implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private final Path folder;

	private final List<String> command;

	private final int port = Ports.free();

	private Process process;

	/**
	 * Start a server.
	 * @param initialize command that makes the first data
	 * @param serve command that runs the server
	 */
	MySqlFamilyTestServer(List<String> initialize, List<String> serve) {
		try {
			this.folder = Files.createTempDirectory("leasehold-mysql");
			run(initialize).waitFor();
			this.command = new ArrayList<>(serve);
			this.command.addAll(List.of("--bind-address=127.0.0.1", "--port=" + this.port,
					"--socket=" + this.folder.resolve("socket"), "--pid-file=" + this.folder.resolve("pid"),
					"--innodb-flush-method=nosync"));
			this.process = serve();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public int port() {
		return this.port;
	}

	/** URL that needs neither user nor password beside it. */
	public String url() {
		return url(this.port);
	}

	/** The same through another port, such as that of a proxy. */
	public abstract String url(int port);

	/** End the server as a power failure does. */
	public void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	/** Start the killed server again, at the same port and with the same data. */
	public void startAgain() throws IOException {
		this.process = serve();
	}

	@Override
	public void close() {
		try {
			kill();
			FileSystemUtils.deleteRecursively(this.folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Process serve() throws IOException {
		Process started = run(this.command);
		await().atMost(PATIENCE).until(() -> isReady(started));
		return started;
	}

	private boolean isReady(Process started) throws IOException {
		if (!started.isAlive()) {
			throw new IllegalStateException("%s did not start, MySQL needs the packages libaio1 and libnuma1: %s"
				.formatted(this.command.get(0), Files.readString(log())));
		}
		try (Connection connection = DriverManager.getConnection(url().replace("/test?", "/?"));
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE DATABASE IF NOT EXISTS test");
			return true;
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private Process run(List<String> line) throws IOException {
		List<String> arguments = new ArrayList<>(line);
		arguments.add("--datadir=" + this.folder.resolve("data"));
		if ("root".equals(System.getProperty("user.name"))) {
			arguments.add("--user=root");
		}
		return new ProcessBuilder(arguments).redirectErrorStream(true)
			.redirectOutput(Redirect.appendTo(log().toFile()))
			.start();
	}

	private Path log() {
		return this.folder.resolve("log");
	}

}
