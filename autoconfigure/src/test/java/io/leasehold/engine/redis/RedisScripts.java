package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.redis.connection.Script;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Pace;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the atomic steps one by one on a server of their own.
 */
abstract class RedisScripts {

	static final long LEASE = 10_000;

	static final long GRANT_LEASE = 3_000;

	static final long RETENTION = 60_000;

	static final long QUEUE = 4_000;

	static final String A = "a@h:1:0/main/1";

	static final String B = "b@h:2:0/main/2";

	static final String C = "c@h:3:0/main/3";

	static final RedisKeys KEYS = RedisKeys.of("ns", new LockKey("k"));

	static RedisTestServer server;

	private static RedisClient client;

	static RedisCommands<String, String> redis;

	private final List<StatefulRedisPubSubConnection<String, String>> inboxes = new ArrayList<>();

	private final Pace pace = Pace.begin();

	/**
	 * Return what may be gone of a time to live when a test reads it, in milliseconds.
	 */
	final long gone() {
		return this.pace.slack(Duration.ofSeconds(1)).toMillis();
	}

	@BeforeAll
	static void start() {
		server = RedisTestServer.start();
		client = RedisClient.create(RedisURI.create("127.0.0.1", server.port()));
		redis = client.connect().sync();
	}

	@AfterAll
	static void stop() {
		client.shutdown();
		server.close();
	}

	@AfterEach
	void clean() {
		this.inboxes.forEach(StatefulRedisPubSubConnection::close);
		redis.flushall();
	}

	static List<Object> acquire(String owner, long ms, String form) {
		return redis.evalsha(load(Scripts.ACQUIRE.publishing()), ScriptOutputType.MULTI, KEYS.all(), owner,
				"" + RETENTION, "ns:inbox:", "" + GRANT_LEASE, "" + ms, form, "" + QUEUE);
	}

	static long granted(List<Object> response) {
		assertThat(response).hasSize(2).element(0).isEqualTo("granted");
		return Long.parseLong((String) response.get(1));
	}

	static void busy(List<Object> response) {
		assertThat(response).hasSize(3).element(0).isEqualTo("busy");
	}

	static long close(String owner) {
		return close(owner, "0");
	}

	static long closeWithMarker(String owner) {
		return close(owner, "20000");
	}

	static long close(String owner, String marker) {
		Long had = redis.evalsha(load(Scripts.CLOSE.publishing()), ScriptOutputType.INTEGER, KEYS.all(), owner,
				"" + RETENTION, "ns:inbox:", "" + GRANT_LEASE, marker);
		return had;
	}

	static List<Object> renew(String grant, long ms) {
		return renew(Access.EXCLUSIVE, grant, ms);
	}

	static List<Object> renew(Access access, String grant, long ms) {
		Long outcome = redis.evalsha(load(Scripts.RENEW), ScriptOutputType.INTEGER,
				KEYS.ofGrant(access).toArray(String[]::new), grant, "" + ms);
		return List.of(outcome);
	}

	static String load(Script<?> script) {
		assertThat(redis.scriptLoad(script.text())).isEqualTo(script.digest());
		return script.digest();
	}

	static long serverMicros() {
		List<String> time = redis.time();
		return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
	}

	BlockingQueue<String> subscribe(String member) {
		BlockingQueue<String> messages = new LinkedBlockingQueue<>();
		StatefulRedisPubSubConnection<String, String> connection = client.connectPubSub();
		connection.addListener(new RedisPubSubAdapter<>() {

			@Override
			public void message(String channel, String message) {
				messages.add(message);
			}

		});
		connection.sync().subscribe("ns:inbox:" + member);
		this.inboxes.add(connection);
		return messages;
	}

}
