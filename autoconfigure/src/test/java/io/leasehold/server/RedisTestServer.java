package io.leasehold.server;

import java.time.Duration;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import redis.embedded.RedisServer;
import redis.embedded.RedisServerBuilder;

/**
 * A real Redis server on a free port of this machine. The {@linkplain #shared() shared}
 * one serves all tests of a JVM that neither stop it nor flush its data.
 */
public final class RedisTestServer implements AutoCloseable {

	private final int port;

	private final String[] settings;

	private RedisServer server;

	private RedisTestServer(int port, String... settings) {
		this.port = port;
		this.settings = settings;
		this.server = run();
	}

	/** The server that tests share, stopped at the end of the JVM. */
	public static RedisTestServer shared() {
		return Shared.SERVER;
	}

	/**
	 * Start a server for one test.
	 * @param settings lines of its configuration
	 */
	public static RedisTestServer start(String... settings) {
		return new RedisTestServer(Ports.free(), settings);
	}

	public int port() {
		return this.port;
	}

	/** Stop the server and start an empty one at the same port. */
	public void restartEmpty() {
		close();
		this.server = run();
	}

	/** Let the server reject writes, as the replica of a server that does not exist. */
	public void becomeReplica() {
		try (RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.port))) {
			client.connect().sync().replicaof("127.0.0.1", 1);
		}
	}

	/** Let the server postpone all commands for a time. */
	public void pause(Duration time) {
		try (RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.port))) {
			client.connect().sync().clientPause(time.toMillis());
		}
	}

	@Override
	public void close() {
		this.server.stop();
	}

	private RedisServer run() {
		RedisServerBuilder builder = RedisServer.builder()
			.port(this.port)
			.setting("bind 127.0.0.1")
			.setting("save \"\"")
			.setting("appendonly no");
		for (String setting : this.settings) {
			builder.setting(setting);
		}
		RedisServer server = builder.build();
		server.start();
		return server;
	}

	/** Starts the server when the first test asks for it. */
	private static final class Shared {

		private static final RedisTestServer SERVER = RedisTestServer.start();

		static {
			Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
		}

	}

}
