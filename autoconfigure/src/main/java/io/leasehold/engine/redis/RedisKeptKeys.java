package io.leasehold.engine.redis;

import java.util.Optional;
import java.util.function.Function;

import io.leasehold.LockKey;
import io.leasehold.engine.KeptKeys;
import org.jspecify.annotations.Nullable;

/**
 * Keys that a minimum hold keeps in Redis.
 *
 * @param finding finds a kept key
 * @param opening opens a kept key
 */
record RedisKeptKeys(Function<LockKey, Optional<Kept>> finding,
		Function<LockKey, Optional<Kept>> opening) implements KeptKeys {

	@Override
	public @Nullable Kept find(LockKey key) {
		return this.finding.apply(key).orElse(null);
	}

	@Override
	public @Nullable Kept open(LockKey key) {
		return this.opening.apply(key).orElse(null);
	}

}
