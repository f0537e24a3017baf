package io.leasehold.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionEvaluationListener;
import org.awaitility.core.EvaluatedCondition;
import org.awaitility.core.TimeoutEvent;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * A real etcd server, Debian's, on free ports of this machine and with its data in a
 * temporary folder. The {@linkplain #shared() shared} one serves all tests of a JVM that
 * neither stop it nor change its users.
 */
public final class EtcdTestServer implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(EtcdTestServer.class);

	private static final int ATTEMPTS = 3;

	private final String name;

	private final int clients = Ports.free();

	private final int peers = Ports.free();

	/** Port that the other members use. */
	private final int advertised;

	private final Path folder;

	private final Map<String, String> options = new TreeMap<>();

	private Process process;

	private EtcdTestServer(String name, @Nullable EtcdNetwork network) {
		this.name = name;
		this.advertised = (network != null) ? network.entranceTo(this.peers) : this.peers;
		try {
			this.folder = Files.createTempDirectory(parent(), "leasehold-etcd");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
	}

	/**
	 * A directory in memory, if there is one: on a busy disk, members lose their leader.
	 */
	private static Path parent() {
		Path memory = Path.of("/dev/shm");
		return Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
	}

	/** The server that tests share, stopped at the end of the JVM. */
	public static EtcdTestServer shared() {
		return Shared.SERVER;
	}

	/** Start a server for one test. */
	public static EtcdTestServer start(String... options) {
		return cluster(1, options).get(0);
	}

	/** Start a server for one test that clients reach by TLS. */
	public static EtcdTestServer startWithTls(String... options) {
		EtcdTestServer server = new EtcdTestServer("single", null);
		server.configure(List.of(server), "https", options);
		server.run();
		Awaitility.await().atMost(ServerLimit.LIMIT).until(server::isListening);
		return server;
	}

	/**
	 * Start the members of a cluster, with other ports if another server of this machine
	 * was faster to take one of them.
	 */
	public static List<EtcdTestServer> cluster(int size, String... options) {
		return cluster(size, null, options);
	}

	/** Start the members of a cluster that reach each other by a network. */
	public static List<EtcdTestServer> cluster(int size, @Nullable EtcdNetwork network, String... options) {
		for (int attempt = 1;; attempt++) {
			List<EtcdTestServer> members = IntStream.range(0, size)
				.mapToObj((i) -> new EtcdTestServer("m" + i, network))
				.toList();
			members.forEach((member) -> member.configure(members, "http", options));
			members.forEach(EtcdTestServer::run);
			try {
				members.forEach(EtcdTestServer::awaitReady);
				return members;
			}
			catch (IllegalStateException ex) {
				members.forEach(EtcdTestServer::close);
				if (attempt == ATTEMPTS) {
					throw ex;
				}
			}
		}
	}

	private void configure(List<EtcdTestServer> members, String scheme, String... more) {
		this.options.put("name", this.name);
		this.options.put("data-dir", this.folder.resolve("data").toString());
		this.options.put("listen-client-urls", scheme + "://127.0.0.1:" + this.clients);
		this.options.put("advertise-client-urls", scheme + "://127.0.0.1:" + this.clients);
		this.options.put("listen-peer-urls", "http://127.0.0.1:" + this.peers);
		this.options.put("initial-advertise-peer-urls", this.peerUrl());
		this.options.put("initial-cluster",
				members.stream()
					.map((member) -> member.name + "=" + member.peerUrl())
					.collect(Collectors.joining(",")));
		if (members.size() > 1) {
			// With the default of a second, a pause of one member changes the leader
			this.options.put("heartbeat-interval", "300");
			this.options.put("election-timeout", "3000");
		}
		for (String option : more) {
			this.options.put(option.substring(0, option.indexOf('=')), option.substring(option.indexOf('=') + 1));
		}
	}

	private String peerUrl() {
		return "http://127.0.0.1:" + this.advertised;
	}

	int peerPort() {
		return this.peers;
	}

	/** Start the server, with the data that it has. */
	public void run() {
		List<String> line = new ArrayList<>(List.of("etcd"));
		this.options.forEach((name, value) -> line.add("--" + name + "=" + value));
		ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(this.folder.resolve("log").toFile()));
		builder.environment().put("ETCD_UNSUPPORTED_ARCH", System.getProperty("os.arch"));
		try {
			this.process = builder.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait until the server knows a leader.
	 * @throws IllegalStateException with the server's log, if it has ended
	 */
	public void awaitReady() {
		Awaitility.await()
			.atMost(ServerLimit.LIMIT)
			.pollInterval(Duration.ofMillis(50))
			.conditionEvaluationListener(new ConditionEvaluationListener<Object>() {

				@Override
				public void conditionEvaluated(EvaluatedCondition<Object> condition) {
				}

				@Override
				public void onTimeout(TimeoutEvent timeout) {
					logger.error("etcd has no leader: " + log());
				}

			})
			.until(this::isHealthy);
	}

	private String log() {
		try {
			return Files.readString(this.folder.resolve("log"));
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

	private boolean isHealthy() throws InterruptedException {
		if (!this.process.isAlive()) {
			throw new IllegalStateException("etcd has ended: " + log());
		}
		HttpRequest request = HttpRequest.newBuilder(URI.create(url() + "/health"))
			.timeout(Duration.ofSeconds(2))
			.build();
		try {
			return Http.CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body().contains("true");
		}
		catch (IOException ex) {
			return false;
		}
	}

	private boolean isListening() {
		try (Socket socket = new Socket("127.0.0.1", this.clients)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	public int port() {
		return this.clients;
	}

	/** URL for clients. */
	public String url() {
		return "http://127.0.0.1:" + this.clients;
	}

	/** Stop the server as it is, and let it go on. */
	public void signal(String signal) {
		try {
			new ProcessBuilder("kill", "-" + signal, String.valueOf(this.process.pid())).start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** End the server at once, but keep its data. */
	public void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	/** Copy the data. The server is restarted for this. */
	public void backUp() {
		kill();
		copy("data", "backup");
		run();
		awaitReady();
	}

	/** End the server, and start it with the data of the copy. */
	public void restore() {
		kill();
		copy("backup", "data");
		run();
		awaitReady();
	}

	private void copy(String from, String to) {
		try {
			FileSystemUtils.deleteRecursively(this.folder.resolve(to));
			FileSystemUtils.copyRecursively(this.folder.resolve(from), this.folder.resolve(to));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		kill();
		try {
			FileSystemUtils.deleteRecursively(this.folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Starts the server when the first test asks for it. */
	private static final class Shared {

		private static final EtcdTestServer SERVER = EtcdTestServer.start();

	}

	/** Made when the first server is asked. */
	private static final class Http {

		private static final HttpClient CLIENT = HttpClient.newHttpClient();

	}

}
