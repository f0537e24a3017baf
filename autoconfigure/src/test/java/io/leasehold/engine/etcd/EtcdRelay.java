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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A relay before real servers that changes their responses, as another member or leader
 * would send them. It balances requests: each one goes to the next server. It relays no
 * watches.
 */
final class EtcdRelay implements AutoCloseable {

	private final HttpClient client = HttpClient.newHttpClient();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Map<String, UnaryOperator<String>> changes = new ConcurrentHashMap<>();

	private final Map<String, Runnable> before = new ConcurrentHashMap<>();

	private final Map<String, AtomicInteger> requests = new ConcurrentHashMap<>();

	private final String[] targets;

	private final AtomicInteger next = new AtomicInteger();

	private final HttpServer server;

	EtcdRelay(String... targets) {
		this.targets = targets;
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

	/** Do something before requests of a path reach the server. */
	void before(String path, Runnable action) {
		this.before.put(path, action);
	}

	/** Return the number of requests of a path. */
	int requests(String path) {
		return this.requests.computeIfAbsent(path, (first) -> new AtomicInteger()).get();
	}

	/** Return the number of all requests, without watches. */
	int requests() {
		return this.requests.values().stream().mapToInt(AtomicInteger::get).sum();
	}

	private void relay(HttpExchange exchange) throws IOException {
		String path = exchange.getRequestURI().getPath();
		try (exchange) {
			if (path.equals("/v3/watch")) {
				exchange.sendResponseHeaders(404, -1);
				return;
			}
			this.requests.computeIfAbsent(path, (first) -> new AtomicInteger()).incrementAndGet();
			this.before.getOrDefault(path, () -> {
			}).run();
			String body = this.changes.getOrDefault(path, UnaryOperator.identity()).apply(forward(exchange, path));
			byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, bytes.length);
			exchange.getResponseBody().write(bytes);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Return the body of a response; the client does not need the status of an error. */
	private String forward(HttpExchange exchange, String path) throws IOException, InterruptedException {
		String target = this.targets[Math.floorMod(this.next.getAndIncrement(), this.targets.length)];
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(target + path))
			.POST(HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
		String authorization = exchange.getRequestHeaders().getFirst("Authorization");
		if (authorization != null) {
			request.header("Authorization", authorization);
		}
		ResponseBody response = new ResponseBody();
		try {
			return this.client.send(request.build(), response).body();
		}
		catch (IOException ex) {
			EtcdException failure = response.failure(URI.create(target), ex);
			if (!failure.isRejection()) {
				throw ex;
			}
			return JsonObject.of("code", failure.code()).with("message", "rejected").toString();
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

}
