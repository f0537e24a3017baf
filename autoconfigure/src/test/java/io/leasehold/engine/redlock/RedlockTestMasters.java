package io.leasehold.engine.redlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

import io.leasehold.LockKey;
import io.leasehold.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * Independent real servers, and commands of their operator.
 */
public final class RedlockTestMasters implements AutoCloseable {

	private final List<RedisTestServer> servers;

	private final RedisClient client = RedisClient.create();

	private final List<RedisCommands<String, String>> operators = new ArrayList<>();

	private RedlockTestMasters(List<RedisTestServer> servers) {
		this.servers = servers;
		servers.forEach((server) -> this.operators
			.add(this.client.connect(RedisURI.create("127.0.0.1", server.port())).sync()));
	}

	/** Three servers that the tests of a JVM share, stopped at the end of the JVM. */
	static RedlockTestMasters shared() {
		return Shared.MASTERS;
	}

	public static RedlockTestMasters start(int number) {
		return new RedlockTestMasters(IntStream.range(0, number).mapToObj((i) -> RedisTestServer.start()).toList());
	}

	public List<Integer> ports() {
		return this.servers.stream().map(RedisTestServer::port).toList();
	}

	RedisTestServer server(int index) {
		return this.servers.get(index);
	}

	/** Commands of an operator, straight to one server. */
	RedisCommands<String, String> operator(int index) {
		return this.operators.get(index);
	}

	/** Lose a lock everywhere. */
	void lose(String namespace, LockKey key) {
		this.operators.forEach((operator) -> operator.del(LockNames.of(namespace, key).lock()));
	}

	/** Return at how many servers a lock has a record. */
	long holding(String namespace, String key) {
		return this.operators.stream()
			.filter((operator) -> operator.exists(LockNames.of(namespace, new LockKey(key)).lock()) == 1)
			.count();
	}

	/** Return how many scripts a server has run. */
	long scripts(int index) {
		return calls(index, "eval");
	}

	/** Return how many messages a server was sent, also by scripts. */
	long messages(int index) {
		return calls(index, "publish");
	}

	private long calls(int index, String command) {
		return operator(index).info("commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_" + command))
			.mapToLong((line) -> Long.parseLong(line.replaceAll(".*:calls=(\\d+),.*", "$1")))
			.sum();
	}

	/**
	 * Return what a namespace has at any server, except grant numbers and markers of
	 * forced releases, which expire.
	 */
	public Collection<String> residue(String namespace) {
		String prefix = LockNames.prefix(namespace);
		return IntStream.range(0, this.operators.size())
			.boxed()
			.flatMap((i) -> this.operators.get(i)
				.keys("*")
				.stream()
				.filter((name) -> name.startsWith(prefix) && !name.startsWith(prefix + "number:")
						&& !name.startsWith(prefix + "forced:"))
				.map((name) -> i + ": " + name))
			.toList();
	}

	@Override
	public void close() {
		this.client.shutdown();
		this.servers.forEach(RedisTestServer::close);
	}

	/** Starts the servers with the first test that uses them. */
	private static final class Shared {

		private static final RedlockTestMasters MASTERS = RedlockTestMasters.start(3);

		static {
			Runtime.getRuntime().addShutdownHook(new Thread(MASTERS::close));
		}

	}

}
