package io.leasehold.benchmark.store;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads {@code MONITOR}, where commands inside scripts have no address.
 */
final class RedisMonitor implements Server.Monitor {

	private final Socket socket;

	private final AtomicLong sent = new AtomicLong();

	RedisMonitor(int port) throws IOException {
		this.socket = new Socket("127.0.0.1", port);
		this.socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
		BufferedReader lines = new BufferedReader(
				new InputStreamReader(this.socket.getInputStream(), StandardCharsets.ISO_8859_1));
		lines.readLine();
		Thread reader = new Thread(() -> read(lines), "monitor");
		reader.setDaemon(true);
		reader.start();
	}

	private void read(BufferedReader lines) {
		try {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				if (line.contains("[0 127.0.0.1:")) {
					this.sent.incrementAndGet();
				}
			}
		}
		catch (IOException ex) {
			// closed
		}
	}

	@Override
	public long sent() {
		return this.sent.get();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
