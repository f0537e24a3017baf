package io.leasehold.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.FileSystemUtils;

/**
 * A headless Chromium, driven through its DevTools protocol.
 */
final class Browser implements AutoCloseable {

	private static final JsonMapper JSON = new JsonMapper();

	private final HttpClient http = HttpClient.newHttpClient();

	private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();

	private final AtomicInteger calls = new AtomicInteger();

	private final Path profile;

	private final Process process;

	private final WebSocket page;

	Browser(int width, int height, boolean dark) throws IOException {
		this.profile = Files.createTempDirectory("flash-sale-browser");
		List<String> command = new ArrayList<>(List.of("chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
				"--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking",
				"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-port=0",
				"--user-data-dir=" + this.profile, "--window-size=%d,%d".formatted(width, height)));
		if (dark) {
			command.add("--blink-settings=preferredColorScheme=0");
		}
		command.add("about:blank");
		this.process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		this.page = this.http.newWebSocketBuilder().buildAsync(URI.create(pageAddress()), new Listener()).join();
	}

	void open(String address) {
		call("Page.navigate", Map.of("url", address));
		Awaitility.await().until(() -> evaluate("document.readyState").equals("complete"));
	}

	/** Evaluate an expression of JavaScript and return its result as text. */
	String evaluate(String expression) {
		JsonNode result = call("Runtime.evaluate",
				Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
		return result.path("result").path("value").asString("");
	}

	String textOf(String id) {
		return evaluate("document.getElementById('%s').textContent".formatted(id));
	}

	void click(String id) {
		evaluate("document.getElementById('%s').click()".formatted(id));
	}

	void screenshot(Path file) throws IOException {
		JsonNode result = call("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true));
		Files.write(file, Base64.getDecoder().decode(result.path("data").asString("")));
	}

	private String pageAddress() {
		Path port = this.profile.resolve("DevToolsActivePort");
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(port) && Files.size(port) > 0);
		try {
			HttpRequest list = HttpRequest
				.newBuilder(URI.create("http://127.0.0.1:%s/json/list".formatted(Files.readAllLines(port).get(0))))
				.build();
			for (JsonNode target : JSON.readTree(this.http.send(list, HttpResponse.BodyHandlers.ofString()).body())) {
				if (target.path("type").asString("").equals("page")) {
					return target.path("webSocketDebuggerUrl").asString("");
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		throw new IllegalStateException("Chromium shows no page");
	}

	private JsonNode call(String method, Map<String, ?> parameters) {
		int id = this.calls.incrementAndGet();
		CompletableFuture<JsonNode> answer = new CompletableFuture<>();
		this.answers.put(id, answer);
		this.page.sendText(JSON.writeValueAsString(Map.of("id", id, "method", method, "params", parameters)), true)
			.join();
		return answer.orTimeout(30, TimeUnit.SECONDS).join().path("result");
	}

	@Override
	public void close() throws IOException {
		this.process.descendants().forEach(ProcessHandle::destroyForcibly);
		this.process.destroyForcibly();
		try {
			this.process.waitFor();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		FileSystemUtils.deleteRecursively(this.profile);
	}

	/**
	 * Puts the pieces of an answer together.
	 */
	private final class Listener implements WebSocket.Listener {

		private final StringBuilder text = new StringBuilder();

		@Override
		public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
			this.text.append(data);
			if (last) {
				JsonNode message = JSON.readTree(this.text.toString());
				this.text.setLength(0);
				CompletableFuture<JsonNode> answer = Browser.this.answers.remove(message.path("id").asInt(0));
				if (answer != null) {
					answer.complete(message);
				}
			}
			socket.request(1);
			return CompletableFuture.completedFuture(null);
		}

	}

}
