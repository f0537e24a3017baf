package io.leasehold.starter.probe;

import java.time.Duration;
import java.util.concurrent.Callable;

import reactor.core.publisher.Mono;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * Service that reports whether a reactive transaction is active.
 */
class ReactiveTransactionalService {

	@Transactional
	public Mono<Boolean> call() {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.map(TransactionSynchronizationManager::isActualTransactionActive)
			.onErrorReturn(NoTransactionException.class, false);
	}

	static Callable<Object> blocking(ReactiveTransactionalService service) {
		return () -> service.call().block(Duration.ofMinutes(1));
	}

}
