package io.leasehold.reactive;

import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.LockKeys;
import reactor.core.publisher.Mono;

/**
 * Reactive transaction in which a subscription runs when it acquires a lock. The lock is
 * held until the transaction has ended, so that the next owner acts on committed data.
 */
public interface OpenTransaction {

	/** A subscription without a transaction, whose locks are released at once. */
	OpenTransaction NONE = new OpenTransaction() {
	};

	/** Return whether it has neither committed nor rolled back. */
	default boolean isOpen() {
		return false;
	}

	/**
	 * A call requests keys. It enters locks that were acquired inside by calls that have
	 * ended, unless another call of these keys is still running or waiting.
	 * @return the locks that it may enter
	 */
	default List<HeldLock> enter(LockKeys keys) {
		return List.of();
	}

	/** A call of keys has ended. */
	default void leave(LockKeys keys) {
	}

	/** Called when a lock was acquired inside. If it is lost, nothing is committed. */
	default void acquired(HeldLock lock) {
	}

	/**
	 * Release a lock when it is due.
	 * @param lock the lock
	 * @param release releases the lock when it is subscribed to
	 * @return completes when the lock is released, or waits for the transaction's end
	 */
	default Mono<Void> release(HeldLock lock, Mono<Void> release) {
		return release;
	}

}
