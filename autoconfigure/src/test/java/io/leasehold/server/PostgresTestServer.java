package io.leasehold.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.util.FileSystemUtils;

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
		long process = Long.parseLong(Files.readAllLines(data().resolve("postmaster.pid")).get(0).trim());
		new ProcessBuilder("kill", "-QUIT", Long.toString(process)).inheritIO().start().waitFor();
		while (ProcessHandle.of(process).filter(ProcessHandle::isAlive).isPresent()) {
			Thread.sleep(10);
		}
		this.server.close();
	}

	/** Start the stopped server again, at the same port and with the same data. */
	public void startAgain() throws IOException {
		this.server = run(port());
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
