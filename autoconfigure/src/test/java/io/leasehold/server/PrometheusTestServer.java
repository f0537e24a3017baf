package io.leasehold.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.FileSystemUtils;

/**
 * A real Prometheus, Debian's, on a free port of this machine and with its data in a
 * temporary folder. It scrapes one application and evaluates rules, both twice a second.
 */
public final class PrometheusTestServer implements AutoCloseable {

	private final int port = Ports.free();

	private final Path folder;

	private final Process process;

	private PrometheusTestServer(String job, int target, Path rules) throws IOException {
		this.folder = Files.createTempDirectory("leasehold-prometheus");
		Path configuration = Files.writeString(this.folder.resolve("prometheus.yml"), """
				global:
				  scrape_interval: 500ms
				  scrape_timeout: 500ms
				  evaluation_interval: 500ms
				rule_files:
				  - %s
				scrape_configs:
				  - job_name: %s
				    metrics_path: /actuator/prometheus
				    static_configs:
				      - targets: ["127.0.0.1:%s"]
				""".formatted(rules, job, target));
		this.process = new ProcessBuilder("prometheus", "--config.file=" + configuration,
				"--storage.tsdb.path=" + this.folder.resolve("data"), "--web.listen-address=127.0.0.1:" + this.port)
			.redirectErrorStream(true)
			.redirectOutput(log().toFile())
			.start();
		Runtime.getRuntime().addShutdownHook(new Thread(this.process::destroyForcibly));
	}

	/**
	 * Start a server.
	 * @param job label of what it scrapes
	 * @param target port of the application
	 * @param rules file of the alerts
	 */
	public static PrometheusTestServer start(String job, int target, Path rules) {
		try {
			PrometheusTestServer server = new PrometheusTestServer(job, target, rules);
			Awaitility.await().atMost(ServerLimit.LIMIT).until(server::isReady);
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private boolean isReady() throws IOException {
		if (!this.process.isAlive()) {
			throw new IllegalStateException("Prometheus has ended: " + Files.readString(log()));
		}
		try {
			return send("/-/ready").statusCode() == 200;
		}
		catch (UncheckedIOException ex) {
			return false;
		}
	}

	private Path log() {
		return this.folder.resolve("log");
	}

	/** Return the series that a query finds now. */
	public JsonNode query(String expression) {
		return get("query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8)).path("result");
	}

	/** Return the data of a response of the API. */
	public JsonNode get(String path) {
		JsonNode response = new JsonMapper().readTree(send("/api/v1/" + path).body());
		if (!response.path("status").asString().equals("success")) {
			throw new IllegalStateException(path + ": " + response);
		}
		return response.path("data");
	}

	private HttpResponse<String> send(String path) {
		return LocalHttp.send("GET", this.port, path);
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
		try {
			FileSystemUtils.deleteRecursively(this.folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
