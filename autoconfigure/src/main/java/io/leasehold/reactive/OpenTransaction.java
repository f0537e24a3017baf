package io.leasehold.reactive;

import java.util.List;

import io.leasehold.HeldLock;
import reactor.core.publisher.Mono;

/**
 * Reactive transaction in which a subscription runs when it acquires a lock. The lock is
 * held until the transaction has ended, so that the next owner acts on committed data.
 */
public interface OpenTransaction {

	/** A subscription without a transaction, whose locks are released at once. */
	OpenTransaction NONE = new OpenTransaction() {
	};

	/** Return the locks that were acquired inside, whose keys are re-entered. */
	default List<HeldLock> locks() {
		return List.of();
	}

	/** Called when a lock was acquired inside. If it is lost, nothing is committed. */
	default void acquired(HeldLock lock) {
	}

	/**
	 * Release a lock when it is due.
	 * @param release releases the lock when it is subscribed to
	 * @return completes when the lock is released, or waits for the transaction's end
	 */
	default Mono<Void> release(Mono<Void> release) {
		return release;
	}

}
