package io.leasehold.engine.jdbc;

import java.nio.file.Path;
import java.util.Map;

import io.leasehold.server.Ports;
import org.h2.tools.Server;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * The clock of the process is set that has opened an H2 database for others.
 */
@Tag("full")
class H2ServerClockJumpIntegrationTests extends ServerClockJumpTests {

	@TempDir
	private Path folder;

	private Process server;

	@Override
	String start(Map<String, String> environment) throws Exception {
		String port = Integer.toString(Ports.free());
		ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-cp", System.getProperty("java.class.path"), Server.class.getName(), "-tcp", "-tcpPort", port,
				"-ifNotExists", "-baseDir", this.folder.toString());
		builder.environment().putAll(environment);
		this.server = builder.start();
		this.server.getInputStream().read(); // wait until it runs
		return "jdbc:h2:tcp://127.0.0.1:%s/./locks".formatted(port);
	}

	@Override
	void stop() {
		this.server.destroy();
		this.server.onExit().join();
	}

	@Override
	String platform() {
		return "h2";
	}

}
