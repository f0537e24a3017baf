package io.leasehold.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;

import org.jspecify.annotations.Nullable;

/**
 * HTTP requests to servers of this machine.
 */
public final class LocalHttp {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private LocalHttp() {
	}

	/** Send a request, and return its response, whatever the status. */
	public static HttpResponse<String> send(String method, int port, String path) {
		return send(method, port, path, null);
	}

	/**
	 * Send a request, and return its response, whatever the status.
	 * @param json the body, or {@code null} for none
	 */
	public static HttpResponse<String> send(String method, int port, String path, @Nullable String json) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
		if (json != null) {
			request.header("Content-Type", "application/json");
		}
		return send(request.method(method, (json != null) ? BodyPublishers.ofString(json) : BodyPublishers.noBody()));
	}

	/** Send a request, and return its response, whatever the status. */
	public static HttpResponse<String> send(HttpRequest.Builder request) {
		try {
			return CLIENT.send(request.timeout(ServerLimit.LIMIT).build(), HttpResponse.BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
