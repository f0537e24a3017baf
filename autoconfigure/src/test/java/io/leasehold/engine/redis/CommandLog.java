package io.leasehold.engine.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.lettuce.core.api.sync.RedisCommands;

/**
 * What clients send to a server and what scripts call there, by MONITOR. On a server that
 * others use, too, only commands with a certain text count.
 */
final class CommandLog implements AutoCloseable {

	private final Socket socket;

	private final BufferedReader lines;

	private final String text;

	private CommandLog(int port, String text) throws IOException {
		this.text = text;
		this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
		this.socket.setSoTimeout(60_000);
		this.lines = new BufferedReader(new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8));
		this.socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
		this.lines.readLine();
	}

	static CommandLog start(int port) throws IOException {
		return start(port, "");
	}

	/** Begin to listen for commands with a text. */
	static CommandLog start(int port, String text) throws IOException {
		return new CommandLog(port, text);
	}

	/** Return the names of the commands sent until now. */
	List<String> commands(RedisCommands<String, String> operator) throws IOException {
		return names(operator, false);
	}

	/** Return the names of the commands that scripts called until now. */
	List<String> calls(RedisCommands<String, String> operator) throws IOException {
		return names(operator, true);
	}

	private List<String> names(RedisCommands<String, String> operator, boolean called) throws IOException {
		String end = UUID.randomUUID().toString();
		operator.echo(end);
		List<String> names = new ArrayList<>();
		for (String line = this.lines.readLine(); !line.contains(end); line = this.lines.readLine()) {
			if (line.contains(" lua] ") == called && line.contains(this.text)) {
				names.add(line.split("\"", 3)[1]);
			}
		}
		return names;
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
