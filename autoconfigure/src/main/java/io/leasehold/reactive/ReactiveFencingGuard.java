package io.leasehold.reactive;

import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * Protection of the application's database against reactive commits of former owners of a
 * lock: the counterpart of {@link FencingGuard}, in the same table. Only transactions on
 * that database are guarded. Thread-safe.
 */
public interface ReactiveFencingGuard {

	/**
	 * Fence a publisher. Each subscription announces the lock's token before it
	 * subscribes to the publisher, and guards the transactions that this commits.
	 * @param lock the lock, which the caller still has to close
	 * @return the publisher, which fails with a
	 * {@link io.leasehold.StaleFencingTokenException} if a later owner has announced its
	 * token, and with an {@link IllegalStateException} if a transaction is open, whose
	 * reads may be stale, or if the lock cannot be fenced
	 */
	<T> Flux<T> fence(HeldLock lock, Publisher<T> work);

}
