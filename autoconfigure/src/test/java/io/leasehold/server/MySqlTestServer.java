package io.leasehold.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.springframework.core.io.ClassPathResource;
import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/**
 * A real MySQL server on a free port of this machine, one for all tests of a JVM, stopped
 * at its end. Its libraries for asynchronous I/O and NUMA are the system's.
 */
public final class MySqlTestServer {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final Path home;

	private final Path folder;

	private final Process process;

	private final int port;

	private MySqlTestServer() {
		try {
			this.home = unpacked();
			this.folder = Files.createTempDirectory("leasehold-mysql");
			run("--initialize-insecure", "--auto-generate-certs=OFF").waitFor();
			this.port = Ports.free();
			this.process = run("--bind-address=127.0.0.1", "--port=" + this.port, "--skip-mysqlx", "--skip-ssl",
					"--disable-log-bin", "--socket=" + this.folder.resolve("socket"));
			await().atMost(PATIENCE).until(this::isReady);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** The server that tests share. */
	public static MySqlTestServer shared() {
		return Shared.SERVER;
	}

	public int port() {
		return this.port;
	}

	/** URL that needs neither user nor password beside it. */
	public String url() {
		return url(this.port);
	}

	/** The same through another port, such as that of a proxy. */
	public String url(int port) {
		return "jdbc:mysql://127.0.0.1:%d/test?user=root".formatted(port);
	}

	private boolean isReady() throws IOException {
		if (!this.process.isAlive()) {
			throw new IllegalStateException(
					"MySQL did not start, which needs the packages libaio1 and libnuma1: " + Files.readString(log()));
		}
		try (Connection connection = DriverManager.getConnection(url().replace("/test?", "/?"));
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE DATABASE test");
			return true;
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private Process run(String... arguments) throws IOException {
		List<String> command = new ArrayList<>(List.of(this.home.resolve("bin/mysqld").toString(), "--no-defaults",
				"--datadir=" + this.folder.resolve("data"), "--lc-messages-dir=" + this.home.resolve("share"),
				"--pid-file=" + this.folder.resolve("pid"), "--innodb-flush-method=nosync"));
		if ("root".equals(System.getProperty("user.name"))) {
			command.add("--user=root");
		}
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(Redirect.appendTo(log().toFile()))
			.start();
	}

	private Path log() {
		return this.folder.resolve("log");
	}

	private void stop() {
		try {
			this.process.destroy();
			this.process.waitFor();
			FileSystemUtils.deleteRecursively(this.folder);
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** The server, which is unpacked once for each user of this machine. */
	private static Path unpacked() throws IOException {
		Path home = Path.of(System.getProperty("java.io.tmpdir"), "leasehold-mysql-" + System.getProperty("user.name"));
		return Turn.take(home, () -> {
			Path server = home.resolve("8.0.31");
			if (!Files.exists(server)) {
				Path unpacking = Files.createTempDirectory(home, "unpacking");
				unpack(unpacking);
				Files.move(unpacking, server, StandardCopyOption.ATOMIC_MOVE);
			}
			return server;
		});
	}

	private static void unpack(Path folder) throws IOException {
		Process tar = new ProcessBuilder("tar", "-xz", "-C", folder.toString()).inheritIO()
			.redirectInput(Redirect.PIPE)
			.start();
		try (InputStream archive = new ClassPathResource("mysql-Linux-amd64.tar.gz").getInputStream();
				OutputStream input = tar.getOutputStream()) {
			archive.transferTo(input);
		}
		tar.onExit().join();
	}

	/** Starts the server when the first test asks for it. */
	private static final class Shared {

		private static final MySqlTestServer SERVER = new MySqlTestServer();

		static {
			Runtime.getRuntime().addShutdownHook(new Thread(SERVER::stop));
		}

	}

}
