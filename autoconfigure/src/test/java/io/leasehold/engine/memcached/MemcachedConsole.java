package io.leasehold.engine.memcached;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.awaitility.Awaitility;

/**
 * A connection of an operator to memcached.
 */
public final class MemcachedConsole {

	private static final String BUSY = "BUSY currently processing crawler request";

	private final int port;

	public MemcachedConsole(int port) {
		this.port = port;
	}

	/** Delete an entry, as an eviction does. */
	void delete(String key) {
		send("delete " + key, "DELETED");
	}

	/** Return the entries of a namespace that are more than a last grant number. */
	public Collection<String> residue(String namespace) {
		List<String> left = new ArrayList<>();
		for (String key : keys()) {
			if (key.startsWith(namespace + ":")) {
				String value = String.join("\n", send("get " + key, "END"));
				if (value.contains("\nhold ") || value.contains("\nwait ")) {
					left.add(key + "\n" + value);
				}
			}
		}
		return left;
	}

	/**
	 * Return the keys of all entries; none of them counts as read. The server also visits
	 * all entries by itself now and then, and is too busy for others then.
	 */
	List<String> keys() {
		return Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(10))
			.until(() -> send("lru_crawler metadump all", "END"), (lines) -> !lines.contains(BUSY))
			.stream()
			.map((line) -> URLDecoder.decode(line.split(" ")[0].replace("key=", ""), StandardCharsets.US_ASCII))
			.toList();
	}

	List<String> send(String command, String last) {
		try (Socket socket = new Socket("127.0.0.1", this.port)) {
			socket.setSoTimeout(60_000);
			socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
			BufferedReader lines = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
			List<String> read = new ArrayList<>();
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				if (line.equals(last) || line.equals("NOT_FOUND")) {
					return read;
				}
				read.add(line);
				if (line.equals(BUSY)) {
					return read;
				}
			}
			throw new IllegalStateException("'%s' ended with %s".formatted(command, read));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
