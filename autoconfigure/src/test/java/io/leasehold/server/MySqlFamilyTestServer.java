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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.awaitility.core.ConditionTimeoutException;

import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/**
 * A real server of the MySQL family on a free port of this machine, with data of its own,
 * that can be killed and started again.
 */
public abstract class MySqlFamilyTestServer implements AutoCloseable {

	private final Path folder;

	private final List<String> command;

	private final Map<String, String> environment;

	private final int port = Ports.free();

	private Process process;

	/**
	 * Start a server.
	 * @param data what its data is in the beginning
	 * @param serve command that runs the server
	 * @param environment variables of its environment
	 */
	MySqlFamilyTestServer(Path data, List<String> serve, Map<String, String> environment) {
		this.environment = environment;
		try {
			this.folder = Files.createTempDirectory("leasehold-mysql");
			FileSystemUtils.copyRecursively(data, this.folder);
			this.command = new ArrayList<>(serve);
			this.command.addAll(List.of("--bind-address=127.0.0.1", "--port=" + this.port,
					"--socket=" + this.folder.resolve("socket"), "--pid-file=" + this.folder.resolve("pid"),
					"--innodb-flush-method=nosync"));
			this.process = serve();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Make the data of a new server, which takes some seconds: so the first server does
	 * that for all of its user.
	 * @param name name of the server
	 * @param version its version
	 * @param initialize command that makes the data
	 */
	static Path data(String name, String version, List<String> initialize) throws IOException {
		return Unpacked.folder(name + "-data", version, (folder) -> {
			if (run(initialize, folder, Map.of()).onExit().join().exitValue() != 0) {
				throw new IllegalStateException(Files.readString(log(folder)));
			}
		});
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
		Process started = run(this.command, this.folder, this.environment);
		try {
			await().atMost(ServerLimit.LIMIT).until(() -> isReady(started));
			return started;
		}
		catch (ConditionTimeoutException ex) {
			started.destroyForcibly();
			throw ex;
		}
	}

	private boolean isReady(Process started) throws IOException {
		if (!started.isAlive()) {
			throw new IllegalStateException("%s did not start, MySQL needs the packages libaio1 and libnuma1: %s"
				.formatted(this.command.get(0), Files.readString(log(this.folder))));
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

	private static Process run(List<String> line, Path folder, Map<String, String> variables) throws IOException {
		List<String> arguments = new ArrayList<>(line);
		arguments.add("--datadir=" + folder.resolve("data"));
		if ("root".equals(System.getProperty("user.name"))) {
			arguments.add("--user=root");
		}
		ProcessBuilder builder = new ProcessBuilder(arguments).redirectErrorStream(true)
			.redirectOutput(Redirect.appendTo(log(folder).toFile()));
		builder.environment().putAll(variables);
		return builder.start();
	}

	private static Path log(Path folder) {
		return folder.resolve("log");
	}

}
