package io.leasehold.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;

/**
 * A memcached server of this machine, which ends with the JVM.
 */
public final class MemcachedTestServer implements AutoCloseable {

	private static final Path BINARY = Path.of("/usr/bin/memcached");

	private final int port;

	private final List<String> options;

	private Process process;

	private MemcachedTestServer(int port, List<String> options) {
		this.port = port;
		this.options = options;
		startAgain();
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
	}

	/** Return the server that the tests of this JVM share. */
	public static MemcachedTestServer shared() {
		return Shared.SERVER;
	}

	/** Start a server with options such as {@code -m 8}. */
	public static MemcachedTestServer start(String... options) {
		return new MemcachedTestServer(Ports.free(), List.of(options));
	}

	/** Start the server again, empty, on the same port. */
	public void startAgain() {
		if (!Files.isExecutable(BINARY)) {
			throw new IllegalStateException(BINARY + " is missing: install memcached");
		}
		List<String> command = new ArrayList<>(
				List.of(BINARY.toString(), "-l", "127.0.0.1", "-p", Integer.toString(this.port), "-u", "nobody"));
		command.addAll(this.options);
		try {
			this.process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Awaitility.await().atMost(ServerLimit.LIMIT).until(this::accepts);
		if (!this.process.isAlive()) {
			throw new IllegalStateException("Another server listens to port " + this.port);
		}
	}

	private boolean accepts() {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress("127.0.0.1", this.port), 1000);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	/** Return the port of the server. */
	public int port() {
		return this.port;
	}

	/** Return the address of the server. */
	public String address() {
		return "127.0.0.1:" + this.port;
	}

	/** Kill the server. */
	public void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

	private static final class Shared {

		static final MemcachedTestServer SERVER = start();

	}

}
