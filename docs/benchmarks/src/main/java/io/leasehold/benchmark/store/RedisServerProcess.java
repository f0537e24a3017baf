package io.leasehold.benchmark.store;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import redis.embedded.RedisServer;

/**
 * A Redis server without persistence.
 */
final class RedisServerProcess implements Server {

	private static final Pattern CALLS = Pattern.compile("calls=(\\d+)");

	private final RedisServer server;

	private final int port = freePort();

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
	public double commands() {
		Matcher calls = CALLS.matcher(this.connection.sync().info("commandstats"));
		double sum = 0;
		while (calls.find()) {
			sum += Double.parseDouble(calls.group(1));
		}
		return sum;
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

	private static int freePort() {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new IllegalStateException("No free port", ex);
		}
	}

}
