package io.leasehold.engine.local;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.Owner;
import org.jspecify.annotations.Nullable;

/**
 * Keys that a minimum hold keeps in memory, with the simulated faults of the store.
 *
 * @param faults the faults
 * @param finding finds a kept key
 * @param opening opens a kept key
 * @param replacing keeps a kept key for the minimum hold of a claim
 */
record LocalKeptKeys(LocalFaults faults, Function<LockKey, Optional<Kept>> finding,
		Function<LockKey, Optional<Kept>> opening, Function<Claim, Optional<Kept>> replacing) implements KeptKeys {

	@Override
	public @Nullable Kept find(LockKey key) {
		this.faults.beforeRequest(key);
		return this.finding.apply(key).orElse(null);
	}

	@Override
	public @Nullable Kept open(LockKey key) {
		this.faults.beforeRequest(key);
		Optional<Kept> opened = this.opening.apply(key);
		this.faults.beforeReply(key);
		return opened.orElse(null);
	}

	@Override
	public @Nullable Kept replace(LockKey key, Owner owner, Duration duration) {
		this.faults.beforeRequest(key);
		Optional<Kept> replaced = this.replacing.apply(new Claim(key, owner, duration, duration, false, 0));
		this.faults.beforeReply(key);
		return replaced.orElse(null);
	}

}
