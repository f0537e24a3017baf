package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

import io.leasehold.LockKey;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.Owner;
import org.jspecify.annotations.Nullable;

/**
 * Keys that a minimum hold keeps in Redis.
 *
 * @param request sends a request for a key, with the arguments of {@link Scripts#KEPT}
 */
record RedisKeptKeys(BiFunction<LockKey, List<String>, Optional<Kept>> request) implements KeptKeys {

	/** Action that keeps the key for another owner and time. */
	static final String PAUSE = "pause";

	@Override
	public @Nullable Kept find(LockKey key) {
		return this.request.apply(key, List.of("inspect")).orElse(null);
	}

	@Override
	public @Nullable Kept open(LockKey key) {
		return this.request.apply(key, List.of("open")).orElse(null);
	}

	@Override
	public @Nullable Kept replace(LockKey key, Owner owner, Duration duration) {
		return this.request.apply(key, List.of(PAUSE, owner + "/", Long.toString(duration.toMillis()))).orElse(null);
	}

}
