package io.leasehold.sample;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance of the sample, started as a user starts it: the packaged jar, or what
 * Spring Boot extracts from it.
 */
final class ShopProcess implements AutoCloseable {

	private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+)");

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	private static final JsonMapper JSON = new JsonMapper();

	private static final Path PACKAGED = Path.of(System.getProperty("sample.jar"));

	private static @Nullable Path extracted;

	private final Process process;

	private final int port;

	private final Path log;

	private ShopProcess(Process process, int port, Path log) {
		this.process = process;
		this.port = port;
		this.log = log;
	}

	/** Start an instance whose data are in a folder. */
	static ShopProcess start(Path data, String... arguments) throws IOException {
		return start(data, java(extracted()), arguments);
	}

	/** Start an instance from the packaged jar, which was processed ahead of time. */
	static ShopProcess startProcessedAheadOfTime(Path data) throws IOException {
		return start(data, java(PACKAGED, "-Dspring.aot.enabled=true"));
	}

	/** Extract the jars inside the packaged one, from which an instance starts faster. */
	private static synchronized Path extracted() throws IOException {
		if (extracted == null) {
			Path folder = Files.createTempDirectory(PACKAGED.getParent(), "extracted");
			Runtime.getRuntime().addShutdownHook(new Thread(() -> FileSystemUtils.deleteRecursively(folder.toFile())));
			List<String> command = java(PACKAGED, "-Djarmode=tools");
			command.addAll(List.of("extract", "--force", "--destination", folder.toString()));
			Process process = new ProcessBuilder(command).inheritIO().start();
			assertThat(process.onExit().join().exitValue()).isZero();
			extracted = folder.resolve(PACKAGED.getFileName());
		}
		return extracted;
	}

	/** Return a command with the options of JVMs that do not run for long. */
	private static List<String> java(Path jar, String... options) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
		command.addAll(List.of(options));
		command.addAll(List.of("-jar", jar.toString()));
		return command;
	}

	private static ShopProcess start(Path data, List<String> command, String... arguments) throws IOException {
		File log = Files.createTempFile(data, "shop", ".log").toFile();
		command.addAll(List.of("--server.port=0",
				"--spring.datasource.url=jdbc:h2:file:%s/shop;AUTO_SERVER=TRUE;WRITE_DELAY=0".formatted(data)));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
		try {
			return new ShopProcess(process, portOf(process, log.toPath()), log.toPath());
		}
		catch (RuntimeException | Error ex) {
			process.destroyForcibly();
			throw ex;
		}
	}

	private static int portOf(Process process, Path log) {
		List<Integer> ports = new ArrayList<>();
		Awaitility.await().atMost(PATIENCE).until(() -> {
			String text = Files.readString(log);
			Matcher matcher = STARTED.matcher(text);
			if (!process.isAlive()) {
				throw new IllegalStateException("The sample did not start:\n" + text);
			}
			return matcher.find() && ports.add(Integer.valueOf(matcher.group(1)));
		});
		return ports.get(0);
	}

	String address() {
		return "http://127.0.0.1:" + this.port;
	}

	String log() throws IOException {
		return Files.readString(this.log);
	}

	String name() {
		return "shop-" + this.port;
	}

	long process() {
		return this.process.pid();
	}

	String get(String path) {
		return send(HttpRequest.newBuilder(URI.create(address() + path)).build());
	}

	JsonNode state() {
		return JSON.readTree(get("/api/state"));
	}

	/** Return the latest sale. */
	JsonNode sale() {
		return state().path("sales").path(0);
	}

	/** How many units an instance has sold, as this one shows it. */
	int soldBy(String instance) {
		for (JsonNode shop : state().path("instances")) {
			if (shop.path("name").asString().equals(instance)) {
				return shop.path("sold").asInt();
			}
		}
		return 0;
	}

	void startSale(int units, int buyers, boolean lock) {
		send(HttpRequest.newBuilder(URI.create(address() + "/api/sales"))
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers
				.ofString("{\"units\":%d,\"buyers\":%d,\"lock\":%b}".formatted(units, buyers, lock)))
			.build());
	}

	/** Sell everything, with locks of an engine. */
	void sells(String engine) {
		startSale(50, 8, true);
		eventually().until(() -> !sale().path("running").asBoolean());
		assertThat(state().path("engine").asString()).isEqualTo(engine);
		assertThat(sale().path("sold").asInt()).isEqualTo(50);
		assertThat(get("/actuator/prometheus"))
			.contains("leasehold_hold_seconds_count{engine=\"%s\"".formatted(engine));
	}

	void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	@Override
	public void close() {
		kill();
	}

	/**
	 * Wait for a state of instances. An instance whose database has just ended with
	 * another instance may return an error once.
	 */
	static ConditionFactory eventually() {
		return Awaitility.await()
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(100))
			.ignoreExceptionsInstanceOf(IllegalStateException.class);
	}

	private static String send(HttpRequest request) {
		try {
			HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
			if (response.statusCode() != 200) {
				throw new IllegalStateException(
						"%s returned %d: %s".formatted(request.uri(), response.statusCode(), response.body()));
			}
			return response.body();
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException("%s did not respond".formatted(request.uri()), ex);
		}
	}

}
