package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.reactive.ReactiveLocks;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;

class H2ReactiveReleaseTests extends ReactiveReleaseContract {

	private final String url = h2();

	@Override
	String url() {
		return this.url;
	}

	/** Its lock is acquired by the call, before the subscription. */
	@Test
	void lockOfAMethodThatReturnsAnyObjectIsReleasedAfterTheTransaction() {
		run((shop, context) -> {
			List<Boolean> free = new ArrayList<>();
			ReactiveShop.run(within(context, PROPAGATION_REQUIRED, () -> anything(shop, shop::insert)
				.then(Mono.fromRunnable(() -> free.add(isFree(context, "inside"))))));
			free.add(isFree(context, "inside"));
			assertThat(free).containsExactly(false, true);
			assertThat(shop.sold()).isOne();
		});
	}

	@Test
	void transactionRollsBackWhenALockOfAnyObjectWasLostLater() {
		run((shop, context) -> {
			AtomicReference<HeldLock> held = new AtomicReference<>();
			assertLost(within(context, PROPAGATION_REQUIRED,
					() -> anything(shop, () -> ReactiveLocks.current().doOnNext(held::set).then(shop.insert()))
						.then(Mono.fromRunnable(() -> shop.lose(held.get())))));
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	void lockOfAnyObjectIsReleasedAtOnceWithoutATransaction() {
		run((shop, context) -> {
			ReactiveShop.run(anything(shop, shop::insert));
			assertThat(isFree(context, "inside")).isTrue();
		});
	}

	private static Mono<Void> anything(ReactiveShop shop, Supplier<Mono<Void>> body) {
		return Mono.defer(() -> (Mono<?>) shop.anything("inside", body)).then();
	}

}
