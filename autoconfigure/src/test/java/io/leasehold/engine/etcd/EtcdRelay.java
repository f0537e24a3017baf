package io.leasehold.engine.etcd;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A relay before a real server that changes the server's responses, as another member or
 * leader would send them. It relays no watches.
 */
final class EtcdRelay implements AutoCloseable {

	private final HttpClient client = HttpClient.newHttpClient();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Map<String, UnaryOperator<String>> changes = new ConcurrentHashMap<>();

	private final String target;

	private final HttpServer server;

	EtcdRelay(String target) {
		this.target = target;
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		this.server.createContext("/", this::relay);
		this.server.setExecutor(this.threads);
		this.server.start();
	}

	String url() {
		return "http://127.0.0.1:" + this.server.getAddress().getPort();
	}

	/** Change the responses to requests of a path. */
	void change(String path, UnaryOperator<String> response) {
		this.changes.put(path, response);
	}

	void changeNothing() {
		this.changes.clear();
	}

	private void relay(HttpExchange exchange) throws IOException {
		String path = exchange.getRequestURI().getPath();
		try (exchange) {
			if (path.equals("/v3/watch")) {
				exchange.sendResponseHeaders(404, -1);
				return;
			}
			HttpResponse<String> response = this.client.send(HttpRequest.newBuilder(URI.create(this.target + path))
				.POST(HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()))
				.build(), HttpResponse.BodyHandlers.ofString());
			byte[] body = this.changes.getOrDefault(path, UnaryOperator.identity())
				.apply(response.body())
				.getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(response.statusCode(), body.length);
			exchange.getResponseBody().write(body);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

}
