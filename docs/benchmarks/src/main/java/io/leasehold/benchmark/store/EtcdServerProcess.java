package io.leasehold.benchmark.store;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.springframework.util.FileSystemUtils;

/**
 * A single etcd server of the system, with its data in memory where possible: without
 * disks, and without a majority to wait for.
 */
final class EtcdServerProcess implements Server {

	private static final Pattern REQUESTS = Pattern.compile("(?m)^grpc_server_started_total\\{.*} (\\S+)$");

	private static final Path MEMORY = Path.of("/dev/shm");

	private final HttpClient client = HttpClient.newHttpClient();

	private final int port = ServerProcess.freePort();

	private final Path data;

	private final ServerProcess process;

	EtcdServerProcess() throws IOException {
		this.data = Files.isWritable(MEMORY) ? Files.createTempDirectory(MEMORY, "etcd")
				: Files.createTempDirectory("etcd");
		String peers = "http://127.0.0.1:" + ServerProcess.freePort();
		this.process = ServerProcess.start(this.port,
				List.of("etcd", "--data-dir=" + this.data, "--listen-client-urls=" + address(),
						"--advertise-client-urls=" + address(), "--listen-peer-urls=" + peers,
						"--initial-advertise-peer-urls=" + peers, "--initial-cluster=default=" + peers));
	}

	@Override
	public String address() {
		return "http://127.0.0.1:" + this.port;
	}

	@Override
	public Usage usage() throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(address() + "/metrics")).build();
		String metrics = this.client.send(request, HttpResponse.BodyHandlers.ofString()).body();
		return new Usage(
				REQUESTS.matcher(metrics).results().mapToDouble((found) -> Double.parseDouble(found.group(1))).sum(),
				this.process.processorMicros());
	}

	@Override
	public void close() throws IOException {
		this.process.close();
		FileSystemUtils.deleteRecursively(this.data);
	}

}
