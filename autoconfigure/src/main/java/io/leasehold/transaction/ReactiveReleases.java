package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import io.leasehold.reactive.OpenTransaction;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Locks that were acquired inside a reactive transaction, and their releases, which wait
 * for its end. Thread-safe.
 */
final class ReactiveReleases implements OpenTransaction {

	private static final Log logger = LogFactory.getLog(ReactiveReleases.class);

	private final List<HeldLock> locks = new ArrayList<>(1);

	private final Map<HeldLock, Mono<Void>> waiting = new LinkedHashMap<>();

	/** Number of the calls of each key that are running or waiting. */
	private final Map<LockKey, Integer> calls = new HashMap<>();

	private final BooleanSupplier open;

	private boolean completed;

	/**
	 * Create an object without locks.
	 * @param open whether the transaction has neither committed nor rolled back
	 */
	ReactiveReleases(BooleanSupplier open) {
		this.open = open;
	}

	@Override
	public boolean isOpen() {
		return this.open.getAsBoolean();
	}

	/** Return all locks that were acquired inside. */
	synchronized List<HeldLock> locks() {
		return List.copyOf(this.locks);
	}

	@Override
	public synchronized List<HeldLock> enter(LockKeys keys) {
		boolean alone = keys.all().stream().noneMatch(this.calls::containsKey);
		keys.all().forEach((key) -> this.calls.merge(key, 1, Integer::sum));
		return alone ? List.copyOf(this.waiting.keySet()) : List.of();
	}

	@Override
	public synchronized void leave(LockKeys keys) {
		keys.all().forEach((key) -> this.calls.computeIfPresent(key, (same, count) -> (count > 1) ? count - 1 : null));
	}

	@Override
	public synchronized void acquired(HeldLock lock) {
		this.locks.add(lock);
	}

	@Override
	public Mono<Void> release(HeldLock lock, Mono<Void> release) {
		return Mono.defer(() -> isDeferred(lock, release) ? Mono.empty() : release);
	}

	private synchronized boolean isDeferred(HeldLock lock, Mono<Void> release) {
		if (!this.completed) {
			this.waiting.put(lock, release);
		}
		return !this.completed;
	}

	/** Run the releases, when the transaction has ended. */
	Mono<Void> complete() {
		return Flux.defer(() -> Flux.fromIterable(due())).concatMap((release) -> release.onErrorResume((failure) -> {
			logger.warn("A lock could not be released after its transaction", failure);
			return Mono.empty();
		})).then();
	}

	private synchronized List<Mono<Void>> due() {
		this.completed = true;
		List<Mono<Void>> due = List.copyOf(this.waiting.values());
		this.waiting.clear();
		return due;
	}

}
