package io.leasehold.transaction;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;

/**
 * A call after the commit, for a key that its own transaction still has.
 */
class LockAgainAfterReactiveCommitTests extends ReactiveShopFixture {

	private final String url = h2();

	@Override
	String url() {
		return this.url;
	}

	@Test
	void callAfterTheCommitEntersTheLockAgain() {
		run((shop, context) -> {
			AtomicBoolean ran = new AtomicBoolean();
			ReactiveShop.run(within(context, PROPAGATION_REQUIRED, () -> shop.locked("inside", shop::insert)
				.then(afterCommit(() -> shop.locked("inside", () -> Mono.fromRunnable(() -> ran.set(true)))))));
			assertThat(ran).isTrue();
			assertThat(shop.sold()).isEqualTo(1);
			assertThat(isFree(context, "inside")).isTrue();
		});
	}

	private static Mono<Void> afterCommit(Supplier<Mono<Void>> action) {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.doOnNext((manager) -> manager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public Mono<Void> afterCommit() {
					return action.get();
				}

			}))
			.then();
	}

}
