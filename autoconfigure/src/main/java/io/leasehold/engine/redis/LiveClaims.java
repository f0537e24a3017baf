package io.leasehold.engine.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.connection.Line;
import org.jspecify.annotations.Nullable;

/**
 * Claims of this process that have not ended and were not granted at once. Thread-safe.
 */
final class LiveClaims {

	private final Map<String, LiveClaim> claims = new ConcurrentHashMap<>();

	private final RedisSettings settings;

	private final MonotonicClock clock;

	LiveClaims(RedisSettings settings, MonotonicClock clock) {
		this.settings = settings;
		this.clock = clock;
	}

	/** Return the state of a claim, a new one for a new claim. */
	LiveClaim of(Claim claim) {
		return this.claims.computeIfAbsent(ClaimName.of(claim), (name) -> create(claim, name));
	}

	/** Return the state of a claim that ends; a removed one had all its responses. */
	LiveClaim ending(Claim claim) {
		return this.claims.computeIfAbsent(ClaimName.of(claim), (name) -> create(claim, name).responded());
	}

	private LiveClaim create(Claim claim, String name) {
		return new LiveClaim(claim, name, this.settings, this.clock);
	}

	@Nullable LiveClaim named(String name) {
		return this.claims.get(name);
	}

	void remove(LiveClaim live) {
		this.claims.remove(live.name());
	}

	/** Remove a completed claim unless a broken line may still deliver a request. */
	void removeCompleted(LiveClaim live, Line line) {
		if (live.requestedOnlyThrough(line)) {
			this.claims.remove(live.name(), live);
		}
	}

	/**
	 * Remove ended claims whose grants and late requests have certainly expired, because
	 * the service does not repeat a release without a response forever.
	 */
	void removeExpired() {
		long now = this.clock.nanoTime();
		this.claims.values().removeIf((live) -> live.isLongOver(now, this.settings.markerLifetime()));
	}

	/** Record for all claims that messages may have been lost. */
	void mayHaveMissed() {
		this.claims.values().forEach(LiveClaim::mayHaveMissed);
	}

	int size() {
		return this.claims.size();
	}

}
