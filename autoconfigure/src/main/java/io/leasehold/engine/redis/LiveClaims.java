package io.leasehold.engine.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.redis.connection.Line;
import org.jspecify.annotations.Nullable;

/**
 * Claims of this process for which messages may arrive, or whose last request has failed.
 * The store's response to the first request and to the last one decides most claims,
 * which are never added. Thread-safe.
 */
final class LiveClaims {

	private final Map<String, LiveClaim> claims = new ConcurrentHashMap<>();

	private final RedisSettings settings;

	private final MonotonicClock clock;

	private final Consumer<Runnable> later;

	/** Whether the removal of expired claims is planned. */
	private final AtomicBoolean cleansUp = new AtomicBoolean();

	/**
	 * Create a set of claims.
	 * @param later runs a task later, after about a minute
	 */
	LiveClaims(RedisSettings settings, MonotonicClock clock, Consumer<Runnable> later) {
		this.settings = settings;
		this.clock = clock;
		this.later = later;
	}

	/** Return the state of a claim, a new one unless it was added. */
	LiveClaim of(Claim claim) {
		String name = ClaimName.of(claim);
		LiveClaim added = this.claims.get(name);
		return (added != null) ? added : create(claim, name);
	}

	/** Return the state of a claim that ends; one that is not added had all responses. */
	LiveClaim ending(Claim claim) {
		String name = ClaimName.of(claim);
		LiveClaim added = this.claims.get(name);
		return (added != null) ? added : create(claim, name).responded();
	}

	private LiveClaim create(Claim claim, String name) {
		return new LiveClaim(claim, name, this.settings, this.clock);
	}

	/** Subscribe a claim to signals, unless it was released meanwhile. */
	Subscription subscribe(Claim claim, Consumer<Signal> listener) {
		LiveClaim live = named(ClaimName.of(claim));
		if (live == null) {
			return Subscription.POLLING;
		}
		live.listen(listener);
		return () -> live.listen(null);
	}

	void add(LiveClaim live) {
		this.claims.put(live.name(), live);
		cleanUpLater();
	}

	private void cleanUpLater() {
		if (!this.cleansUp.get() && this.cleansUp.compareAndSet(false, true)) {
			this.later.accept(this::cleanUp);
		}
	}

	private void cleanUp() {
		this.cleansUp.set(false);
		removeExpired();
		if (!this.claims.isEmpty()) {
			cleanUpLater();
		}
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
