package io.leasehold.benchmark.contender;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;

/**
 * The least that a lock on several Redis servers has to do, by Lettuce: the calls of
 * {@link BareRedis} at all of them at the same time.
 */
final class BareRedlock implements Contender {

	private final RedisClient client = RedisClient.create();

	private final List<RedisAsyncCommands<String, String>> masters;

	private final AtomicLong owners = new AtomicLong();

	private final String self = Long.toString(ProcessHandle.current().pid());

	private final String digest;

	BareRedlock(String addresses) {
		this.masters = Arrays.stream(addresses.split(","))
			.map((address) -> this.client.connect(RedisURI.create("redis://" + address)))
			.map(StatefulRedisConnection::async)
			.toList();
		this.digest = all((master) -> master.scriptLoad(BareRedis.DELETE)).get(0);
	}

	@Override
	public Held acquire(String key) throws Exception {
		String owner = this.self + ":" + this.owners.incrementAndGet();
		SetArgs arguments = SetArgs.Builder.nx().px(Leases.LEASE);
		Polling.until(() -> {
			List<String> responses = all((master) -> master.set(key, owner, arguments));
			long votes = responses.stream().filter("OK"::equals).count();
			if (2 * votes > responses.size()) {
				return true;
			}
			if (votes > 0) {
				delete(key, owner);
			}
			return false;
		});
		return () -> delete(key, owner);
	}

	private void delete(String key, String owner) {
		all((master) -> master.<Long>evalsha(this.digest, ScriptOutputType.INTEGER, new String[] { key }, owner));
	}

	private <T> List<T> all(Function<RedisAsyncCommands<String, String>, CompletionStage<T>> request) {
		List<CompletableFuture<T>> responses = this.masters.stream()
			.map((master) -> request.apply(master).toCompletableFuture())
			.toList();
		return responses.stream().map(CompletableFuture::join).toList();
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
