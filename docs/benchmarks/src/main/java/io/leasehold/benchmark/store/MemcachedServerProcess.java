package io.leasehold.benchmark.store;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A memcached server of the system.
 */
final class MemcachedServerProcess implements Server {

	private final int port = ServerProcess.freePort();

	private final ServerProcess process;

	MemcachedServerProcess() throws IOException {
		this.process = ServerProcess.start(this.port, List.of("memcached", "-u", System.getProperty("user.name"), "-l",
				"127.0.0.1", "-U", "0", "-p", Integer.toString(this.port)));
	}

	@Override
	public String address() {
		return "127.0.0.1:" + this.port;
	}

	/**
	 * Processor time has a resolution of microseconds there, and commands are counted.
	 */
	@Override
	public Usage usage() throws IOException {
		double commands = 0;
		double seconds = 0;
		try (Socket socket = new Socket("127.0.0.1", this.port);
				BufferedReader lines = new BufferedReader(
						new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
			socket.getOutputStream().write("stats\r\n".getBytes(StandardCharsets.US_ASCII));
			for (String line = lines.readLine(); !"END".equals(line); line = lines.readLine()) {
				String[] words = line.split(" ");
				switch (words[1]) {
					case "cmd_get", "cmd_set", "delete_hits", "delete_misses" ->
						commands += Double.parseDouble(words[2]);
					case "rusage_user", "rusage_system" -> seconds += Double.parseDouble(words[2]);
					default -> {
						// not needed
					}
				}
			}
		}
		return new Usage(commands, 1e6 * seconds);
	}

	@Override
	public void close() {
		this.process.close();
	}

}
