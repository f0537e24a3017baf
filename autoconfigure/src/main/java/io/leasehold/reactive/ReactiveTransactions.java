package io.leasehold.reactive;

import reactor.core.publisher.Mono;

/**
 * The application's reactive transactions. Thread-safe.
 */
public interface ReactiveTransactions {

	/**
	 * Return the transaction in which the subscription runs.
	 * @return the transaction, or {@link OpenTransaction#NONE}
	 */
	Mono<OpenTransaction> current();

}
