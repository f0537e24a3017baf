package io.leasehold.engine.etcd;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

import io.leasehold.engine.support.Deadlines;
import org.jspecify.annotations.Nullable;

/**
 * Requests to etcd's JSON gateway, each to one member. Logs in if there are credentials,
 * and again when the token has expired. Thread-safe.
 */
final class Gateway {

	/** Member of responses with the time by the server's clock, as HTTP writes it. */
	static final String DATE = "date";

	private static final String LOGIN = "/v3/auth/authenticate";

	private static final Duration LOGIN_TIMEOUT = Duration.ofSeconds(10);

	private final HttpClient client;

	private final @Nullable Login login;

	Gateway(HttpClient client, @Nullable Credentials credentials) {
		this.client = client;
		this.login = (credentials != null) ? new Login((member) -> logIn(member, credentials)) : null;
	}

	/**
	 * Send a request and wait for its response. An interrupt does not end the wait.
	 * @throws EtcdException if the member rejected the request or did not respond
	 * @throws TimeoutException if the deadline has passed; the request is cancelled, but
	 * may still be executed
	 */
	JsonObject post(URI member, String path, JsonObject body, long deadline) throws EtcdException, TimeoutException {
		return postAll(member, path, List.of(body), deadline).get(0);
	}

	/**
	 * Send requests concurrently, as {@link #post} does, and return their responses in
	 * the same order. If one fails, the others may have been executed.
	 */
	List<JsonObject> postAll(URI member, String path, List<JsonObject> bodies, long deadline)
			throws EtcdException, TimeoutException {
		if (this.login == null) {
			return send(member, path, bodies, null, deadline);
		}
		String used = this.login.token(member, deadline);
		try {
			return send(member, path, bodies, used, deadline);
		}
		catch (EtcdException ex) {
			if (!isOfTheToken(ex)) {
				throw ex;
			}
			this.login.forget(used);
			return send(member, path, bodies, this.login.token(member, deadline), deadline);
		}
	}

	/** A missing user is an invalid argument, as is a token of older permissions. */
	private static boolean isOfTheToken(EtcdException failure) {
		return failure.is(EtcdException.UNAUTHENTICATED) || failure.is(EtcdException.INVALID_ARGUMENT);
	}

	/**
	 * The timeout is longer than that of a call: a busy server takes long for a login.
	 */
	private CompletableFuture<JsonObject> logIn(URI member, Credentials credentials) {
		ResponseBody body = new ResponseBody();
		HttpRequest request = request(member, LOGIN, credentials.request(), null).timeout(LOGIN_TIMEOUT).build();
		return this.client.sendAsync(request, body).handle((response, failure) -> {
			try {
				if (response == null) {
					throw body.failure(member, (failure != null) ? failure.getCause() : null);
				}
				return read(member, response);
			}
			catch (EtcdException ex) {
				throw new CompletionException(ex);
			}
		});
	}

	private List<JsonObject> send(URI member, String path, List<JsonObject> bodies, @Nullable String authorization,
			long deadline) throws EtcdException, TimeoutException {
		List<Sent> requests = bodies.stream()
			.map((body) -> send(request(member, path, body, authorization).build()))
			.toList();
		try {
			List<JsonObject> responses = new ArrayList<>(requests.size());
			for (Sent request : requests) {
				responses.add(await(member, request, deadline));
			}
			return responses;
		}
		finally {
			// Responses that have arrived are not affected
			requests.forEach((request) -> request.response.cancel(true));
		}
	}

	private Sent send(HttpRequest request) {
		ResponseBody body = new ResponseBody();
		return new Sent(this.client.sendAsync(request, body), body);
	}

	private static JsonObject await(URI member, Sent request, long deadline) throws EtcdException, TimeoutException {
		try {
			return read(member, Deadlines.await(request.response, deadline));
		}
		catch (ExecutionException ex) {
			throw request.body.failure(member, ex.getCause());
		}
		catch (TimeoutException ex) {
			throw new TimeoutException("%s did not respond within the call timeout".formatted(member));
		}
	}

	private static JsonObject read(URI member, HttpResponse<String> response) throws EtcdException {
		try {
			JsonObject body = JsonReader.parse(response.body());
			if (body.has("code") || body.has("error")) {
				throw EtcdException.of(body.has("code") ? body : body.object("error"));
			}
			JsonObject result = body.has("result") ? body.object("result") : body;
			if (result.has("header")) {
				return response.headers().firstValue("Date").map((date) -> result.with(DATE, date)).orElse(result);
			}
			throw notOfEtcd(member, response, null);
		}
		catch (IllegalArgumentException ex) {
			throw notOfEtcd(member, response, ex);
		}
	}

	private static EtcdException notOfEtcd(URI member, HttpResponse<String> response, @Nullable Throwable cause) {
		int status = response.statusCode();
		return new EtcdException((status == 404) ? EtcdException.UNIMPLEMENTED : EtcdException.NO_RESPONSE,
				"%s responded with status %d, but not as etcd's JSON gateway does".formatted(member, status), cause);
	}

	/**
	 * Open a watch, with the token of the last request. It may have expired: then the
	 * watch is cancelled, and the next request logs in.
	 * @param messages called for each message; the last call has {@code null} and the
	 * failure, which is {@code null} if the stream ended
	 * @return the open stream
	 */
	Stream watch(URI member, JsonObject create, BiConsumer<@Nullable JsonObject, @Nullable Throwable> messages) {
		Stream stream = new Stream(messages);
		HttpRequest.Builder request = request(member, "/v3/watch", JsonObject.of("create_request", create),
				(this.login != null) ? this.login.present() : null);
		stream.start(this.client.sendAsync(request.build(), BodyHandlers.fromLineSubscriber(stream)));
		return stream;
	}

	private static HttpRequest.Builder request(URI member, String path, JsonObject body,
			@Nullable String authorization) {
		HttpRequest.Builder request = HttpRequest.newBuilder(member.resolve(path))
			.version("https".equals(member.getScheme()) ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
			.header("Content-Type", "application/json")
			.header("Grpc-Metadata-hasleader", "true")
			.POST(BodyPublishers.ofString(body.toString()));
		return (authorization != null) ? request.header("Authorization", authorization) : request;
	}

	/**
	 * Request that was sent.
	 */
	private record Sent(CompletableFuture<HttpResponse<String>> response, ResponseBody body) {
	}

}
