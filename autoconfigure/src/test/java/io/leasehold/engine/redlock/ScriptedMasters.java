package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.ScriptedConnection;
import io.leasehold.engine.redis.connection.Connection;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Script;
import io.leasehold.engine.redis.connection.SubscribedConnection;
import org.jspecify.annotations.Nullable;

/**
 * Masters that are functions, for responses at moments that no real server can be made to
 * choose. They grant, renew and release all locks unless a test changes that.
 */
final class ScriptedMasters implements Connector {

	static final CompletableFuture<@Nullable Object> NO_RESPONSE = new CompletableFuture<>();

	private final Member member = Member.of("test");

	private final List<Scripted> all;

	ScriptedMasters(int number) {
		this("m", number);
	}

	/**
	 * Create masters.
	 * @param name what their hosts' names begin with, such as for messages that no engine
	 * of an earlier test logs late
	 */
	ScriptedMasters(String name, int number) {
		this.all = IntStream.range(0, number).mapToObj((index) -> new Scripted(name + index)).toList();
	}

	Scripted get(int index) {
		return this.all.get(index);
	}

	List<Node> nodes() {
		return this.all.stream().map((master) -> new Node(master.host, 1)).toList();
	}

	/** An engine whose requests time out after a minute. */
	RedlockLockEngine engine() {
		return engine(RedlockOpener.settings("ns", Duration.ZERO, Duration.ofMinutes(1)));
	}

	RedlockLockEngine engine(RedlockSettings settings) {
		return new RedlockLockEngine(this, nodes(), () -> new Login(null, null, 0), settings, MonotonicClock.SYSTEM);
	}

	Claim claim(String key) {
		return claim(key, false);
	}

	Claim claim(String key, boolean waits) {
		return new Claim(new LockKey(key), this.member.newOwner(), Duration.ofSeconds(30), Duration.ZERO, waits,
				MonotonicClock.SYSTEM.nanoTime());
	}

	@Override
	public Connection connect(Node node, Login login) {
		return this.all.stream()
			.filter((master) -> master.host.equals(node.host()))
			.findFirst()
			.orElseThrow()
			.connect();
	}

	@Override
	public SubscribedConnection listen(Node node, Login login, String channel, Consumer<String> messages,
			Runnable lost) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void close() {
	}

	static CompletableFuture<@Nullable Object> response(Object response) {
		return CompletableFuture.completedFuture(response);
	}

	/** A response that comes after others, but long before the timeout. */
	static CompletableFuture<@Nullable Object> later(Object response) {
		CompletableFuture<@Nullable Object> later = new CompletableFuture<>();
		return later.completeOnTimeout(response, 300, TimeUnit.MILLISECONDS);
	}

	static CompletableFuture<@Nullable Object> lost() {
		return CompletableFuture.failedFuture(RedisFailure.noResponse("connection is closed", null));
	}

	static CompletableFuture<@Nullable Object> neverSent() {
		return CompletableFuture
			.failedFuture(RedisFailure.neverSent(RedisFailure.noResponse("connection is closed", null)));
	}

	/** One of the masters. */
	static final class Scripted {

		private final String host;

		private final Map<String, Function<Request, CompletableFuture<@Nullable Object>>> scripts = new ConcurrentHashMap<>();

		private final List<Request> requests = new CopyOnWriteArrayList<>();

		private final List<ScriptedConnection> connections = new CopyOnWriteArrayList<>();

		private final AtomicInteger attempts = new AtomicInteger();

		private volatile String info;

		private volatile @Nullable RedisFailure unreachable;

		private Scripted(String host) {
			this.host = host;
			this.info = "redis_version:7.0.15\r\nrole:master\r\nuptime_in_seconds:1000\r\nrun_id:" + this.host;
			on(Scripts.ACQUIRE, (request) -> response(List.of("granted", "7")));
			on(Scripts.NUMBER, (request) -> response(1L));
			on(Scripts.ADD, (request) -> response(1L));
			on(Scripts.RELEASE, (request) -> response(List.of(1L, 0L)));
			on(Scripts.RENEW, (request) -> response(Collections.nCopies(request.keys().size(), 1L)));
			on(Scripts.INSPECT, (request) -> response(List.of()));
			on(Scripts.FORCE, (request) -> response(List.of()));
		}

		/** Respond to a script in this way from now on. */
		void on(Script<?> script, Function<Request, CompletableFuture<@Nullable Object>> response) {
			this.scripts.put(script.digest(), response);
		}

		void info(String text) {
			this.info = text;
		}

		void fails(@Nullable RedisFailure failure) {
			this.unreachable = failure;
		}

		/** Number of attempts to connect. */
		int attempts() {
			return this.attempts.get();
		}

		/** Break the open connection. */
		void disconnect() {
			this.connections.forEach(ScriptedConnection::close);
		}

		/** Return the requests for a script, in their order. */
		List<Request> requests(Script<?> script) {
			return this.requests.stream().filter((request) -> request.digest().equals(script.digest())).toList();
		}

		private Connection connect() {
			RedisFailure failure = this.unreachable;
			this.attempts.incrementAndGet(); // counted when its result is certain
			if (failure != null) {
				throw failure;
			}
			ScriptedConnection connection = new ScriptedConnection(this::respond);
			this.connections.add(connection);
			return connection;
		}

		private CompletableFuture<@Nullable Object> respond(String line) {
			if (line.equals("INFO")) {
				return response(this.info);
			}
			if (line.equals("TIME")) {
				return response(List.of("1000000", "0"));
			}
			Request request = Request.parse(line);
			this.requests.add(request);
			return Objects.requireNonNull(this.scripts.get(request.digest())).apply(request);
		}

	}

	/**
	 * Request to run a script.
	 *
	 * @param isText whether the text was sent
	 */
	record Request(String digest, boolean isText, List<String> keys, List<String> arguments) {

		private static Request parse(String line) {
			String[] parts = line.split(" (?=\\d+( redlock:|$))", 2);
			List<String> words = new ArrayList<>(Arrays.asList(parts[1].split(" ")));
			int keys = Integer.parseInt(words.remove(0));
			String[] command = parts[0].split(" ", 2);
			boolean isText = command[0].equals("EVAL");
			return new Request(isText ? digest(command[1]) : command[1], isText, List.copyOf(words.subList(0, keys)),
					List.copyOf(words.subList(keys, words.size())));
		}

		private static String digest(String text) {
			return List
				.of(Scripts.ACQUIRE, Scripts.NUMBER, Scripts.ADD, Scripts.RELEASE, Scripts.RENEW, Scripts.INSPECT,
						Scripts.FORCE)
				.stream()
				.filter((script) -> script.text().equals(text))
				.findFirst()
				.orElseThrow()
				.digest();
		}

	}

}
