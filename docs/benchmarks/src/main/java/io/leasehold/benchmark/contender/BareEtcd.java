package io.leasehold.benchmark.contender;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The least that a lock in etcd has to do, by the client of the JDK and the JSON gateway:
 * a put of a key that does not exist, on the lease of the process, and its deletion.
 */
final class BareEtcd implements Contender {

	private static final Pattern LEASE = Pattern.compile("\"ID\":\"(\\d+)\"");

	/** Long enough for any run without a renewal. */
	private static final int SECONDS = 86_400;

	private final HttpClient client = HttpClient.newHttpClient();

	private final String address;

	private final String lease;

	private final String owner = base64(Long.toString(ProcessHandle.current().pid()));

	BareEtcd(String address) {
		this.address = address;
		try {
			Matcher lease = LEASE.matcher(send("lease/grant", "{\"TTL\":%d}".formatted(SECONDS)));
			if (!lease.find()) {
				throw new IllegalStateException("No lease");
			}
			this.lease = lease.group(1);
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Held acquire(String key) throws Exception {
		String name = base64("bare/" + key);
		String put = """
				{"compare":[{"key":"%1$s","target":"CREATE","result":"EQUAL","create_revision":"0"}],
				"success":[{"request_put":{"key":"%1$s","value":"%2$s","lease":"%3$s"}}]}""".formatted(name, this.owner,
				this.lease);
		Polling.until(() -> send("kv/txn", put).contains("\"succeeded\":true"));
		return () -> send("kv/deleterange", "{\"key\":\"%s\"}".formatted(name));
	}

	private String send(String path, String body) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create(this.address + "/v3/" + path))
			.version(HttpClient.Version.HTTP_1_1)
			.POST(HttpRequest.BodyPublishers.ofString(body))
			.build();
		HttpResponse<String> response = this.client.send(request, HttpResponse.BodyHandlers.ofString());
		if (response.statusCode() != 200) {
			throw new IOException(response.body());
		}
		return response.body();
	}

	private static String base64(String text) {
		return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
	}

}
