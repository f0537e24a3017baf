package io.leasehold.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

import redis.embedded.RedisServer;

/**
 * A real Redis server on a free port of this machine. The {@linkplain #shared() shared}
 * one serves all tests of a JVM that neither stop it nor flush its data.
 */
public final class RedisTestServer implements AutoCloseable {

	private final int port;

	private RedisServer server;

	private RedisTestServer(int port) {
		this.port = port;
		this.server = run(port);
	}

	/** The server that tests share, stopped at the end of the JVM. */
	public static RedisTestServer shared() {
		return Shared.SERVER;
	}

	/** Start a server for one test. */
	public static RedisTestServer start() {
		return new RedisTestServer(freePort());
	}

	public int port() {
		return this.port;
	}

	/** Stop the server and start an empty one at the same port. */
	public void restartEmpty() {
		close();
		this.server = run(this.port);
	}

	@Override
	public void close() {
		this.server.stop();
	}

	private static RedisServer run(int port) {
		RedisServer server = RedisServer.builder()
			.port(port)
			.setting("bind 127.0.0.1")
			.setting("save \"\"")
			.setting("appendonly no")
			.build();
		server.start();
		return server;
	}

	private static int freePort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Starts the server when the first test asks for it. */
	private static final class Shared {

		private static final RedisTestServer SERVER = RedisTestServer.start();

		static {
			Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
		}

	}

}
