package io.leasehold.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.springframework.core.io.ClassPathResource;

/**
 * A real MySQL server. The {@linkplain #shared() shared} one serves all tests of a JVM
 * that do not stop it. Its libraries for asynchronous I/O and NUMA are the system's.
 */
public final class MySqlTestServer extends MySqlFamilyTestServer {

	private static final String VERSION = "8.0.31";

	private MySqlTestServer(Path home, Map<String, String> environment, String... options) throws IOException {
		super(data("mysql", VERSION,
				List.of(home.resolve("bin/mysqld").toString(), "--no-defaults",
						"--lc-messages-dir=" + home.resolve("share"), "--initialize-insecure",
						"--auto-generate-certs=OFF", "--innodb-flush-method=nosync")),
				Stream
					.concat(Stream.of(home.resolve("bin/mysqld").toString(), "--no-defaults",
							"--lc-messages-dir=" + home.resolve("share"), "--skip-mysqlx", "--skip-ssl",
							"--disable-log-bin"), Stream.of(options))
					.toList(),
				environment);
	}

	/** The server that tests share, stopped at the end of the JVM. */
	public static MySqlTestServer shared() {
		return Shared.SERVER;
	}

	/**
	 * Start a server for one test.
	 * @param environment variables of its environment
	 */
	public static MySqlTestServer start(Map<String, String> environment) {
		try {
			return new MySqlTestServer(Unpacked.folder("mysql", VERSION, MySqlTestServer::unpack), environment);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Start a server with further options for one test. */
	public static MySqlTestServer start(String... options) {
		try {
			return new MySqlTestServer(Unpacked.folder("mysql", VERSION, MySqlTestServer::unpack), Map.of(), options);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public String url(int port) {
		return "jdbc:mysql://127.0.0.1:%d/test?user=root".formatted(port);
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

		private static final MySqlTestServer SERVER = start();

		static {
			Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
		}

	}

}
