package io.leasehold.engine.etcd;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.engine.support.Deadlines;
import io.leasehold.server.EtcdTestServer;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An operator's client, which reads and writes a server's keys.
 */
public final class EtcdOperator {

	private static final Pattern WATCHES = Pattern.compile("etcd_debugging_mvcc_watcher_total (\\d+)");

	private final Store store;

	EtcdOperator(String... urls) {
		this(new EtcdConnection(List.of(urls).stream().map(URI::create).toList(), null, null, null));
	}

	EtcdOperator(EtcdConnection connection) {
		this.store = connection.connect(Duration.ofSeconds(10));
	}

	/** Return the keys of all claims on locks of a namespace. */
	public static List<String> residue(String url, String namespace) {
		return new EtcdOperator(url).keys(new EtcdKeys(namespace).claims());
	}

	List<KeyValue> read(String prefix) {
		return send(() -> this.store.list(Operation.list(prefix), deadline()));
	}

	List<String> keys(String prefix) {
		return read(prefix).stream().map(KeyValue::key).toList();
	}

	long revision() {
		return send(() -> this.store.range(Operation.get("none", true), deadline())).object("header")
			.number("revision");
	}

	boolean remove(String key) {
		return send(
				() -> this.store.transact(List.of(), List.of(Operation.remove(key)), List.of(), deadline()).removed(0));
	}

	void revoke(long lease) {
		send(() -> {
			this.store.revoke(lease, deadline());
			return true;
		});
	}

	/** Return the remaining seconds of a lease, negative if it does not exist. */
	static long secondsLeft(String url, long lease) {
		try {
			return JsonReader.parse(send(url, "/v3/lease/timetolive", JsonObject.of("ID", lease))).number("TTL");
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Use a token, and return whether the server does not know it any more. */
	static boolean isExpired(String url, String token) {
		HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/v3/kv/range"))
			.header("Authorization", token)
			.POST(HttpRequest.BodyPublishers.ofString(Operation.get("none", true).toString()))
			.build();
		AtomicInteger status = new AtomicInteger();
		try {
			HttpClient.newHttpClient().send(request, (response) -> {
				status.set(response.statusCode());
				return HttpResponse.BodySubscribers.discarding();
			});
		}
		catch (IOException ex) {
			// With assertions, the JDK's client cannot read the trailers of errors
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return status.get() == 401;
	}

	static JsonObject status(String url) throws IOException, InterruptedException {
		return JsonReader.parse(send(url, "/v3/maintenance/status", new JsonObject()));
	}

	/** Wait for a member that is the leader, or for one that follows it. */
	static EtcdTestServer awaitMember(List<EtcdTestServer> members, boolean leads) {
		List<EtcdTestServer> found = new ArrayList<>();
		EtcdEngines.eventually().ignoreExceptions().until(() -> {
			for (EtcdTestServer member : members) {
				JsonObject status = status(member.url());
				String leader = status.text("leader");
				boolean known = !leader.isEmpty() && !leader.equals("0");
				if (known && leader.equals(status.object("header").text("member_id")) == leads) {
					return found.add(member);
				}
			}
			return false;
		});
		return found.get(0);
	}

	/** Return the number of open watches at a server. */
	static int watches(String url) {
		HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/metrics")).build();
		try {
			Matcher matcher = WATCHES
				.matcher(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
			assertThat(matcher.find()).isTrue();
			return Integer.parseInt(matcher.group(1));
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Let the store forget all changes before a revision. */
	static void compact(String url, long revision) throws IOException, InterruptedException {
		send(url, "/v3/kv/compaction", JsonObject.of("revision", revision));
	}

	/** Send a request that the engine never sends. */
	static String send(String url, String path, JsonObject body) throws IOException, InterruptedException {
		return send(url, path, body, null);
	}

	/** Send a request with the token of a user. */
	static String send(String url, String path, JsonObject body, @Nullable String token)
			throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
			.POST(HttpRequest.BodyPublishers.ofString(body.toString()));
		if (token != null) {
			request.header("Authorization", token);
		}
		HttpResponse<String> response = HttpClient.newHttpClient()
			.send(request.build(), HttpResponse.BodyHandlers.ofString());
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return response.body();
	}

	static long deadline() {
		return Deadlines.after(Duration.ofSeconds(10));
	}

	Store store() {
		return this.store;
	}

	static <T> T send(Request<T> request) {
		try {
			return request.send();
		}
		catch (EtcdException | TimeoutException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@FunctionalInterface
	interface Request<T> {

		T send() throws EtcdException, TimeoutException;

	}

}
