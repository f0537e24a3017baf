package io.leasehold.engine.etcd;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.server.EtcdTestServer;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An operator's client, which reads and writes a server's keys.
 */
public final class EtcdOperator {

	private static final Pattern WATCHES = Pattern.compile("etcd_debugging_mvcc_watcher_total (\\d+)");

	/** Never closed: servers of other tests use other ports. */
	private static final Channels channels = EtcdEngines.channels();

	private static final Message ROOT = credentials("root", "root");

	private final Store store;

	EtcdOperator(String... urls) {
		this(new EtcdConnection(List.of(urls).stream().map(URI::create).toList(), null, null, null));
	}

	EtcdOperator(EtcdConnection connection) {
		Message login = (connection.user() != null) ? credentials(connection.user(), connection.password()) : null;
		this.store = new Store(new EtcdClient(channels, connection.endpoints().size() == 1, login),
				new Members(connection.endpoints()));
	}

	/** Return an operator of a server with users. */
	public static EtcdOperator root(String url) {
		return new EtcdOperator(new EtcdConnection(List.of(URI.create(url)), "root", "root", null));
	}

	static Message credentials(String user, String password) {
		return Message.of(1, user).with(2, password);
	}

	/** Return the keys of all claims on locks of a namespace. */
	public List<String> residue(String namespace) {
		return keys(new EtcdKeys(namespace).claims());
	}

	/** Require a password from now on. There is only the user {@code root}. */
	public static void enableUsers(String url) {
		send(url, Rpc.unary("Auth/UserAdd"), ROOT);
		send(url, Rpc.unary("Auth/RoleAdd"), Message.of(1, "root"));
		send(url, Rpc.unary("Auth/UserGrantRole"), Message.of(1, "root").with(2, "root"));
		send(url, Rpc.unary("Auth/AuthEnable"), new Message());
	}

	/** Add a user with all permissions. */
	public static void addUser(String url, String user, String password) {
		send(url, Rpc.unary("Auth/UserAdd"), credentials(user, password), token(url));
		send(url, Rpc.unary("Auth/UserGrantRole"), Message.of(1, user).with(2, "root"), token(url));
	}

	/** Change the password of a user. */
	public static void setPassword(String url, String user, String password) {
		send(url, Rpc.unary("Auth/UserChangePassword"), credentials(user, password), token(url));
	}

	/** Return a new token of {@code root}. */
	static String token(String url) {
		return send(url, Rpc.LOGIN, ROOT).text(2);
	}

	List<KeyValue> read(String prefix) {
		return send(() -> this.store.list(Operation.list(prefix), deadline()));
	}

	List<String> keys(String prefix) {
		return read(prefix).stream().map(KeyValue::key).toList();
	}

	long revision() {
		return Reply.revision(send(() -> this.store.range(Operation.get("none", true), deadline())));
	}

	/** Write a key that no lease removes. */
	void write(String key, String value) {
		send(() -> this.store.transact(List.of(), List.of(Operation.put(key, value, 0)), List.of(), deadline()));
	}

	boolean remove(String key) {
		return !send(() -> this.store.transact(List.of(),
				List.of(Operation.read(Operation.get(key, true)), Operation.remove(key)), List.of(), deadline()))
			.keys(0)
			.isEmpty();
	}

	void revoke(long lease) {
		send(() -> {
			this.store.revoke(lease, deadline());
			return true;
		});
	}

	/** Return the remaining seconds of a lease, negative if it does not exist. */
	static long secondsLeft(String url, long lease) {
		return send(url, Rpc.TIME_TO_LIVE, Message.of(1, lease)).number(3);
	}

	/** Use a token, and return whether the server does not know it any more. */
	static boolean isExpired(String url, String token) {
		try {
			send(url, Rpc.RANGE, Operation.get("none", true), token);
			return false;
		}
		catch (CompletionException ex) {
			return EtcdException.of(ex.getCause()).is(Status.Code.UNAUTHENTICATED);
		}
	}

	static Message status(String url) {
		return send(url, Rpc.unary("Maintenance/Status"), new Message());
	}

	/** Return the id of the member that sent a response. */
	static long member(Message response) {
		return response.message(1).number(2);
	}

	/** Wait for a member that is the leader, or for one that follows it. */
	static EtcdTestServer awaitMember(List<EtcdTestServer> members, boolean leads) {
		List<EtcdTestServer> found = new ArrayList<>();
		EtcdEngines.eventually().ignoreExceptions().until(() -> {
			for (EtcdTestServer member : members) {
				Message status = status(member.url());
				long leader = status.number(4);
				if (leader != 0 && (leader == member(status)) == leads) {
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
	static void compact(String url, long revision) {
		send(url, Rpc.unary("KV/Compact"), Message.of(1, revision));
	}

	/** Send a request that the engine never sends. */
	static Message send(String url, MethodDescriptor<Message, Message> method, Message request) {
		return send(url, method, request, null);
	}

	/** Send a request with the token of a user. */
	static Message send(String url, MethodDescriptor<Message, Message> method, Message request,
			@Nullable String token) {
		URI member = URI.create(url);
		return Call.send(channels.to(member), member, method, request, token)
			.response()
			.orTimeout(60, TimeUnit.SECONDS)
			.join();
	}

	static long deadline() {
		return Deadlines.after(Duration.ofSeconds(60));
	}

	Store store() {
		return this.store;
	}

	static <T> T send(Request<T> request) {
		try {
			return request.send();
		}
		catch (EtcdException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@FunctionalInterface
	interface Request<T> {

		T send() throws EtcdException;

	}

}
