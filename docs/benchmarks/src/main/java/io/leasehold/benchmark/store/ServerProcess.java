package io.leasehold.benchmark.store;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;

/**
 * A server that is a command of this machine, and what all servers need.
 */
final class ServerProcess implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final Process process;

	private ServerProcess(Process process) {
		this.process = process;
	}

	/**
	 * Start a server, and wait until it listens.
	 * @param port its port
	 * @param command its command line
	 */
	static ServerProcess start(int port, List<String> command) throws IOException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (!isListening(port)) {
			if (!process.isAlive() || System.nanoTime() - deadline > 0) {
				process.destroyForcibly();
				throw new IOException("The server did not start: " + String.join(" ", command));
			}
		}
		return new ServerProcess(process);
	}

	private static boolean isListening(int port) {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress("127.0.0.1", port), 1000);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	double processorMicros() {
		return processorMicros(this.process);
	}

	/** Return the processor time of a process so far, in steps of ten milliseconds. */
	static double processorMicros(Process process) {
		return process.info().totalCpuDuration().map((time) -> time.toNanos() / 1e3).orElse(Double.NaN);
	}

	static int freePort() {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new IllegalStateException("No free port", ex);
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
	}

}
