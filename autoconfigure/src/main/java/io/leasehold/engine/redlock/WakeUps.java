package io.leasehold.engine.redlock;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.redis.connection.RedisFailure;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Notifications of waiting claims when the masters publish that their lock was released.
 * A claim without notifications polls. Thread-safe.
 */
final class WakeUps implements ReleaseListener.Receiver {

	private static final Log logger = LogFactory.getLog(WakeUps.class);

	private final Masters masters;

	private final List<ReleaseListener> listeners;

	/** Claims that wait or may begin to wait, by lock. */
	private final Map<String, List<Releases>> waiting = new ConcurrentHashMap<>();

	private final AtomicBoolean rejected = new AtomicBoolean();

	WakeUps(Masters masters, RedlockSettings settings, ScheduledExecutorService executor) {
		this.masters = masters;
		this.listeners = masters.all()
			.stream()
			.map((master) -> new ReleaseListener(master, settings, executor, this))
			.toList();
	}

	/**
	 * Record that a request for the lock follows. Releases are recorded from then on,
	 * because the claim listens only after the response.
	 */
	void requesting(LiveClaim live) {
		add(live);
		if (live.releases().clear()) {
			this.listeners.forEach(ReleaseListener::ensureOpen);
		}
	}

	/**
	 * Notify a claim of releases since its last request, until the result is closed. The
	 * masters are subscribed to by the first claim that waits.
	 */
	Subscription listen(LiveClaim live, Consumer<Signal> listener) {
		add(live);
		live.releases().listen(listener, this.masters.majority());
		this.listeners.forEach(ReleaseListener::ensureOpen);
		return () -> {
			live.releases().stopListening();
			remove(live);
		};
	}

	private void add(LiveClaim live) {
		this.waiting.merge(live.lock(), List.of(live.releases()),
				(some, one) -> some.containsAll(one) ? some : Stream.concat(some.stream(), one.stream()).toList());
	}

	/** Remove a claim that was granted or ends. */
	void remove(LiveClaim live) {
		this.waiting.computeIfPresent(live.lock(), (lock, some) -> without(some, live.releases()));
	}

	private static @Nullable List<Releases> without(List<Releases> some, Releases removed) {
		List<Releases> rest = some.stream().filter((one) -> one != removed).toList();
		return rest.isEmpty() ? null : rest;
	}

	@Override
	public boolean isAwaiting() {
		return !this.waiting.isEmpty();
	}

	@Override
	public void released(Master master, String lock) {
		this.waiting.getOrDefault(lock, List.of()).forEach((one) -> one.add(master, this.masters.majority()));
	}

	@Override
	public void missed(Master master) {
		this.waiting.keySet().forEach((lock) -> released(master, lock));
	}

	@Override
	public void rejected(Master master, String channel, RedisFailure failure) {
		if (this.rejected.compareAndSet(false, true)) {
			logger.warn(("Redis master %s rejects the subscription to '%s': %s. Waiting threads are not notified and "
					+ "poll. Grant the account access to this channel")
				.formatted(master, channel, failure.getMessage()));
		}
	}

}
