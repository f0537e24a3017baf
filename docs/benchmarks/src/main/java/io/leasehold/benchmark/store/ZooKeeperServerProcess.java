package io.leasehold.benchmark.store;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/**
 * A ZooKeeper server without fsync, in a separate JVM.
 */
final class ZooKeeperServerProcess implements Server {

	/** Milliseconds, as in the server's sample: sessions may last for twenty of them. */
	private static final int TICK = 2000;

	private static final Pattern REQUESTS = Pattern.compile("zk_packets_received\\s+(\\d+)");

	private final Process process;

	private final int port;

	ZooKeeperServerProcess() throws IOException {
		this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g",
				"-Dzookeeper.forceSync=no", "-Dzookeeper.4lw.commands.whitelist=mntr", "-cp",
				System.getProperty("java.class.path"), ZooKeeperServerProcess.class.getName())
			.redirectError(Redirect.INHERIT)
			.start();
		BufferedReader output = this.process.inputReader();
		this.port = Integer.parseInt(output.readLine());
	}

	/** Serve until the input ends. */
	public static void main(String[] arguments) throws Exception {
		InstanceSpec spec = new InstanceSpec(null, -1, -1, -1, true, -1, TICK, 1000,
				Map.of("admin.enableServer", "false"));
		try (TestingServer server = new TestingServer(spec, true)) {
			System.out.println(server.getPort());
			System.in.read();
		}
		System.exit(0);
	}

	@Override
	public String address() {
		return "127.0.0.1:" + this.port;
	}

	@Override
	public Usage usage() throws IOException {
		try (Socket socket = new Socket("127.0.0.1", this.port); InputStream response = socket.getInputStream()) {
			socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
			Matcher requests = REQUESTS.matcher(new String(response.readAllBytes(), StandardCharsets.US_ASCII));
			return new Usage(requests.find() ? Double.parseDouble(requests.group(1)) : Double.NaN,
					ServerProcess.processorMicros(this.process));
		}
	}

	@Override
	public void close() throws IOException {
		this.process.getOutputStream().close();
		this.process.onExit().join();
	}

}
