package io.leasehold.server;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import redis.embedded.RedisSentinel;

import static org.awaitility.Awaitility.await;

/**
 * A real Redis master with a replica, watched by three sentinels that put the replica in
 * its place within seconds when it fails. Servers and sentinels ask for passwords.
 */
public final class RedisTestSentinels implements AutoCloseable {

	/** What the sentinels call the master. */
	public static final String MASTER = "mymaster";

	/** Password of the servers. */
	public static final String PASSWORD = "server-secret";

	/** Password of the sentinels. */
	public static final String SENTINEL_PASSWORD = "sentinel-secret";

	private final RedisClient client = RedisClient.create();

	private final RedisTestServer master = RedisTestServer.start("requirepass " + PASSWORD, "masterauth " + PASSWORD,
			"repl-diskless-sync-delay 0");

	private final RedisTestServer replica = RedisTestServer.start("requirepass " + PASSWORD, "masterauth " + PASSWORD,
			"replicaof 127.0.0.1 " + this.master.port());

	private final List<RedisSentinel> sentinels = Stream.generate(this::sentinel).limit(3).toList();

	private RedisTestSentinels() {
		this.sentinels.forEach(RedisSentinel::start);
		this.sentinels.forEach((sentinel) -> await().atMost(ServerLimit.LIMIT).ignoreExceptions().until(() -> {
			Map<String, String> known = operator(sentinel).master(MASTER);
			return known.get("num-slaves").equals("1") && known.get("num-other-sentinels").equals("2");
		}));
		await().atMost(ServerLimit.LIMIT)
			.until(() -> operator(this.master).info("replication").contains("state=online"));
	}

	/** Start servers and sentinels for one test. */
	public static RedisTestSentinels start() {
		return new RedisTestSentinels();
	}

	private RedisSentinel sentinel() {
		return RedisSentinel.builder()
			.port(Ports.free())
			.setting("bind 127.0.0.1")
			.setting("requirepass " + SENTINEL_PASSWORD)
			.setting("sentinel sentinel-pass " + SENTINEL_PASSWORD)
			.setting("sentinel monitor %s 127.0.0.1 %d 2".formatted(MASTER, this.master.port()))
			.setting("sentinel auth-pass %s %s".formatted(MASTER, PASSWORD))
			.setting("sentinel down-after-milliseconds %s 3000".formatted(MASTER))
			.setting("sentinel failover-timeout %s 3000".formatted(MASTER))
			.build();
	}

	/** The server that was master at the start. */
	public RedisTestServer master() {
		return this.master;
	}

	/** The server that was replica at the start. */
	public RedisTestServer replica() {
		return this.replica;
	}

	/** Commands of an operator, straight to a server. */
	public RedisCommands<String, String> operator(RedisTestServer server) {
		return this.client.connect(uri(server.port(), PASSWORD)).sync();
	}

	private RedisSentinelCommands<String, String> operator(RedisSentinel sentinel) {
		return this.client.connectSentinel(uri(sentinel.ports().get(0), SENTINEL_PASSWORD)).sync();
	}

	private static RedisURI uri(int port, String password) {
		return RedisURI.builder()
			.withHost("127.0.0.1")
			.withPort(port)
			.withPassword(password.toCharArray())
			.withTimeout(Duration.ofSeconds(5))
			.build();
	}

	/** Ports of the sentinels. */
	public List<Integer> sentinelPorts() {
		return this.sentinels.stream().map((sentinel) -> sentinel.ports().get(0)).toList();
	}

	/**
	 * Let the replica reach its master through another port, for some seconds: then the
	 * sentinels put that right.
	 */
	public void replicateThrough(int port) {
		operator(this.replica).replicaof("127.0.0.1", port);
		await().atMost(ServerLimit.LIMIT)
			.until(() -> operator(this.replica).info("replication").contains("master_link_status:up"));
	}

	/** Kill the master: what the replica has not got is lost. */
	public void killMaster() {
		String pid = operator(this.master).info("server")
			.lines()
			.filter((line) -> line.startsWith("process_id:"))
			.findFirst()
			.orElseThrow()
			.substring("process_id:".length());
		ProcessHandle.of(Long.parseLong(pid)).orElseThrow().destroyForcibly();
	}

	/** Stop the first of the three sentinels. */
	public void stopSentinel() {
		this.sentinels.get(0).stop();
	}

	/** Let the sentinels put the replica in the place of a master that works. */
	public void failover() {
		operator(this.sentinels.get(1)).failover(MASTER);
	}

	/** Wait until the sentinels name the replica as the master. */
	public void awaitFailover() {
		RedisSentinelCommands<String, String> sentinel = operator(this.sentinels.get(1));
		await().atMost(ServerLimit.LIMIT)
			.pollInterval(Duration.ofMillis(20))
			.until(() -> ((InetSocketAddress) sentinel.getMasterAddrByName(MASTER)).getPort() == this.replica.port());
	}

	@Override
	public void close() {
		this.client.shutdown();
		this.sentinels.forEach(RedisSentinel::stop);
		this.replica.close();
		this.master.close();
	}

}
