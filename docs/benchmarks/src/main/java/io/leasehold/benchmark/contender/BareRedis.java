package io.leasehold.benchmark.contender;

import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * The least that a lock on Redis has to do, by Lettuce: {@code SET NX PX}, and a script
 * that compares and deletes.
 */
final class BareRedis implements Contender {

	static final String DELETE = """
			if redis.call('get', KEYS[1]) == ARGV[1] then
				return redis.call('del', KEYS[1])
			end
			return 0
			""";

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	private final String digest;

	private final AtomicLong owners = new AtomicLong();

	private final String self = Long.toString(ProcessHandle.current().pid());

	BareRedis(String address) {
		this.client = RedisClient.create("redis://" + address);
		this.connection = this.client.connect();
		this.digest = this.connection.sync().scriptLoad(DELETE);
	}

	@Override
	public Held acquire(String key) throws Exception {
		RedisCommands<String, String> commands = this.connection.sync();
		String owner = this.self + ":" + this.owners.incrementAndGet();
		Polling.until(() -> commands.set(key, owner, SetArgs.Builder.nx().px(Leases.LEASE)) != null);
		return () -> commands.evalsha(this.digest, ScriptOutputType.INTEGER, new String[] { key }, owner);
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
