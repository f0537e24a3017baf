package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.HeldLock;
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

	private final List<Mono<Void>> waiting = new ArrayList<>(1);

	private boolean completed;

	@Override
	public synchronized List<HeldLock> locks() {
		return List.copyOf(this.locks);
	}

	@Override
	public synchronized void acquired(HeldLock lock) {
		this.locks.add(lock);
	}

	@Override
	public Mono<Void> release(Mono<Void> release) {
		return Mono.defer(() -> isDeferred(release) ? Mono.empty() : release);
	}

	private synchronized boolean isDeferred(Mono<Void> release) {
		return !this.completed && this.waiting.add(release);
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
		List<Mono<Void>> due = List.copyOf(this.waiting);
		this.waiting.clear();
		return due;
	}

}
