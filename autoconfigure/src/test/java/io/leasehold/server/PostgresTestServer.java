package io.leasehold.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.util.FileSystemUtils;

import static org.awaitility.Awaitility.await;

/**
 * A real PostgreSQL server on a free port of this machine. The {@linkplain #shared()
 * shared} one serves all tests of a JVM that do not stop it.
 */
public final class PostgresTestServer implements AutoCloseable {

	private final Path folder;

	private EmbeddedPostgres server;

	private PostgresTestServer() {
		try {
			this.folder = Files.createTempDirectory("leasehold-postgres");
			this.server = run(Ports.free());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** The server that tests share, stopped at the end of the JVM. */
	public static PostgresTestServer shared() {
		return Shared.SERVER;
	}

	/** Start a server for one test. */
	public static PostgresTestServer start() {
		return new PostgresTestServer();
	}

	/**
	 * Start a server for one test.
	 * @param environment variables of its environment
	 */
	public static PostgresTestServer start(Map<String, String> environment) {
		PostgresTestServer server = start();
		try {
			server.moveTo(environment);
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return server;
	}

	public int port() {
		return this.server.getPort();
	}

	/** URL that needs neither user nor password beside it. */
	public String url() {
		return url(port());
	}

	/** The same through another port, such as that of a proxy. */
	public String url(int port) {
		return "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres".formatted(port);
	}

	/** End all server processes at once, as {@code pg_ctl stop -m immediate} does. */
	public void stopImmediately() throws IOException, InterruptedException {
		end(postmaster());
		this.server.close();
	}

	/** The library that starts the server knows of no environment. */
	private void moveTo(Map<String, String> environment) throws IOException, InterruptedException {
		ProcessHandle postmaster = postmaster();
		List<String> command = new ArrayList<>();
		if ("root".equals(System.getProperty("user.name"))) {
			command.addAll(List.of("unshare", "-U"));
		}
		command.add(postmaster.info().command().orElseThrow());
		command.addAll(List.of(postmaster.info().arguments().orElseThrow()));
		end(postmaster);
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD);
		builder.environment().putAll(environment);
		builder.start();
		await().atMost(ServerLimit.LIMIT).ignoreExceptions().until(() -> {
			try (Connection connection = DriverManager.getConnection(url())) {
				return connection.isValid(1);
			}
		});
	}

	private ProcessHandle postmaster() throws IOException {
		return ProcessHandle.of(Long.parseLong(Files.readAllLines(data().resolve("postmaster.pid")).get(0).trim()))
			.orElseThrow();
	}

	private static void end(ProcessHandle process) throws IOException, InterruptedException {
		new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).inheritIO().start().waitFor();
		process.onExit().join();
	}

	/** Start the stopped server again, at the same port and with the same data. */
	public void startAgain() throws IOException {
		this.server = run(port());
	}

	/** Start again as a standby, which stays in recovery and accepts only reads. */
	public void becomeStandby() throws IOException, InterruptedException {
		stopImmediately();
		Files.createFile(data().resolve("standby.signal"));
		startAgain();
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		FileSystemUtils.deleteRecursively(this.folder);
	}

	private Path data() {
		return this.folder.resolve("data");
	}

	private EmbeddedPostgres run(int port) throws IOException {
		EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
			.setDataDirectory(data())
			.setCleanDataDirectory(false)
			.setRegisterShutdownHook(false)
			.setPGStartupWait(ServerLimit.LIMIT)
			// Off by this library's default, so that a crash forgets acknowledged commits
			.setServerConfig("synchronous_commit", "on")
			.setServerConfig("deadlock_timeout", "100ms")
			.setPort(port);
		return builder.start();
	}

	/** Starts the server when the first test asks for it. */
	private static final class Shared {

		private static final PostgresTestServer SERVER = PostgresTestServer.start();

		static {
			Runtime.getRuntime().addShutdownHook(new Thread(Shared::stop));
		}

		private static void stop() {
			try {
				SERVER.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
