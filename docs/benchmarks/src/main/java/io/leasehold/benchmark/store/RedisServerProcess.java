package io.leasehold.benchmark.store;

import java.io.IOException;
import java.util.Optional;
import java.util.regex.Pattern;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import redis.embedded.RedisServer;

/**
 * A Redis server without persistence.
 */
final class RedisServerProcess implements Server {

	private static final Pattern CALLS = Pattern.compile("calls=(\\d+)");

	/** Those of the server's process, which includes its other threads. */
	private static final Pattern SECONDS = Pattern.compile("used_cpu_(?:user|sys):([0-9.]+)");

	private final RedisServer server;

	private final int port = ServerProcess.freePort();

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	RedisServerProcess() throws IOException {
		this.server = RedisServer.builder()
			.port(this.port)
			.setting("bind 127.0.0.1")
			.setting("save \"\"")
			.setting("appendonly no")
			.setting("maxclients 20000")
			.build();
		this.server.start();
		this.client = RedisClient.create("redis://" + address());
		this.connection = this.client.connect();
	}

	@Override
	public String address() {
		return "127.0.0.1:" + this.port;
	}

	@Override
	public Usage usage() {
		return new Usage(sum(CALLS, "commandstats"), 1e6 * sum(SECONDS, "cpu"));
	}

	private double sum(Pattern pattern, String section) {
		return pattern.matcher(this.connection.sync().info(section))
			.results()
			.mapToDouble((found) -> Double.parseDouble(found.group(1)))
			.sum();
	}

	@Override
	public Optional<Monitor> monitor() throws IOException {
		return Optional.of(new RedisMonitor(this.port));
	}

	@Override
	public void close() throws IOException {
		this.client.shutdown();
		this.server.stop();
	}

}
