package io.leasehold.engine.redis.connection;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LettuceConnector}.
 */
class LettuceConnectorTests {

	/** Servers before Redis 6, and some proxies. */
	@Test
	void serverThatKnowsOnlyTheOldProtocolIsUsed() throws Exception {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
				LettuceConnector connector = new LettuceConnector(LettuceTransport.PLAIN, Duration.ofMinutes(1))) {
			CompletableFuture.runAsync(() -> respond(server));
			Connection connection = connector.connect(new Node("127.0.0.1", server.getLocalPort()),
					new Login(null, null, 0));
			assertThat(connection.send((failure) -> {
			}, "PING")).succeedsWithin(1, TimeUnit.MINUTES).isEqualTo("PONG");
		}
	}

	private static void respond(ServerSocket server) {
		try (Socket client = server.accept();
				BufferedReader requests = new BufferedReader(
						new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII))) {
			for (String line = requests.readLine(); line != null; line = requests.readLine()) {
				int words = Integer.parseInt(line.substring(1));
				requests.readLine();
				String command = requests.readLine();
				for (int i = 1; i < words; i++) {
					requests.readLine();
					requests.readLine();
				}
				String response = switch (command) {
					case "HELLO" -> "-ERR unknown command 'HELLO'";
					case "PING" -> "+PONG";
					default -> "+OK";
				};
				client.getOutputStream().write((response + "\r\n").getBytes(StandardCharsets.US_ASCII));
			}
		}
		catch (IOException ex) {
			// The client closed the connection
		}
	}

}
