package io.leasehold.transaction;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import io.leasehold.LockBusyException;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;

/**
 * Two subscriptions of one transaction that want the same key at the same time.
 */
class SiblingsInReactiveTransactionTests extends ReactiveShopFixture {

	private final String url = h2();

	@Override
	String url() {
		return this.url;
	}

	/** The second is subscribed while the body of the first runs. */
	@Test
	void bodiesOfOneTransactionExcludeEachOther() {
		run((shop, context) -> assertThat(together(shop, (both) -> within(context, PROPAGATION_REQUIRED, () -> both)))
			.isEqualTo(1));
	}

	@Test
	void bodiesWithoutTransactionExcludeEachOther() {
		run((shop, context) -> assertThat(together(shop, (both) -> both)).isEqualTo(1));
	}

	/** Both enter the lock of a third one that has ended. */
	@Test
	void bodiesThatEnterAnEndedLockExcludeEachOther() {
		run((shop, context) -> assertThat(together(shop,
				(both) -> within(context, PROPAGATION_REQUIRED, () -> shop.locked("k", Mono::empty).then(both))))
			.isEqualTo(1));
	}

	/** Return how many of two bodies with the same key were running at most. */
	private static int together(ReactiveShop shop, UnaryOperator<Mono<Void>> transaction) {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Sinks.Empty<Void> begun = Sinks.empty();
		Sinks.Empty<Void> end = Sinks.empty();
		Mono<Void> first = shop.locked("k", () -> Mono.<Void>fromRunnable(() -> {
			most.accumulateAndGet(inside.incrementAndGet(), Math::max);
			begun.tryEmitEmpty();
		}).then(end.asMono()).doFinally((signal) -> inside.decrementAndGet()));
		Mono<Void> second = begun.asMono()
			.then(Mono.defer(() -> shop.locked("k",
					() -> Mono.<Void>fromRunnable(() -> most.accumulateAndGet(inside.incrementAndGet(), Math::max)))))
			.onErrorResume(LockBusyException.class, (busy) -> Mono.empty())
			.doFinally((signal) -> end.tryEmitEmpty());
		ReactiveShop.run(transaction.apply(Mono.when(first, second)));
		return most.get();
	}

}
