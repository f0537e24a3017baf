package io.leasehold.benchmark.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import org.springframework.core.io.ClassPathResource;
import org.springframework.util.FileSystemUtils;

/**
 * A MySQL server that leaves it to the operating system when it writes.
 */
final class MySqlServerProcess implements Server {

	private final Path folder = Files.createTempDirectory("benchmark-mysql");

	private final int port = ServerProcess.freePort();

	private final ServerProcess server;

	MySqlServerProcess() throws IOException, SQLException, InterruptedException {
		unpack();
		if (new ProcessBuilder(command("--initialize-insecure")).inheritIO().start().waitFor() != 0) {
			throw new IOException("The data of the MySQL server could not be created");
		}
		this.server = ServerProcess.start(this.port,
				command("--bind-address=127.0.0.1", "--port=" + this.port, "--socket=" + this.folder.resolve("socket"),
						"--pid-file=" + this.folder.resolve("pid"), "--skip-mysqlx", "--skip-ssl", "--disable-log-bin",
						"--innodb-flush-log-at-trx-commit=0", "--max-connections=1000"));
		try (Connection connection = DriverManager.getConnection(url(""));
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE DATABASE test");
		}
		Tables.create(address(), "mysql", "mysql");
	}

	private void unpack() throws IOException, InterruptedException {
		Process tar = new ProcessBuilder("tar", "-xz", "-C", this.folder.toString())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		try (InputStream archive = new ClassPathResource("mysql-Linux-amd64.tar.gz").getInputStream();
				OutputStream input = tar.getOutputStream()) {
			archive.transferTo(input);
		}
		tar.waitFor();
	}

	private List<String> command(String... options) {
		List<String> command = new ArrayList<>(List.of(this.folder.resolve("bin/mysqld").toString(), "--no-defaults",
				"--user=" + System.getProperty("user.name"), "--lc-messages-dir=" + this.folder.resolve("share"),
				"--datadir=" + this.folder.resolve("data"), "--innodb-flush-method=nosync",
				"--log-error=" + this.folder.resolve("log")));
		command.addAll(List.of(options));
		return command;
	}

	private String url(String database) {
		return "jdbc:mysql://127.0.0.1:%d/%s?user=root".formatted(this.port, database);
	}

	@Override
	public String address() {
		return url("test");
	}

	@Override
	public Usage usage() throws SQLException {
		try (Connection connection = DriverManager.getConnection(address());
				Statement statement = connection.createStatement();
				ResultSet status = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
			status.next();
			return new Usage(status.getDouble(2), this.server.processorMicros());
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
		FileSystemUtils.deleteRecursively(this.folder);
	}

}
