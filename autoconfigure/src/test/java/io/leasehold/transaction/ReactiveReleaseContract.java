package io.leasehold.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockOptions;
import io.leasehold.reactive.ReactiveLocks;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NESTED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRED;
import static org.springframework.transaction.TransactionDefinition.PROPAGATION_REQUIRES_NEW;

/**
 * Contract of the releases of locks that are acquired inside a reactive transaction.
 */
abstract class ReactiveReleaseContract extends ReactiveShopFixture {

	@Test
	void nextOwnerSeesTheCommittedSale() {
		run((shop, context) -> {
			AtomicReference<CompletableFuture<Long>> next = new AtomicReference<>();
			ReactiveShop.run(within(context, PROPAGATION_REQUIRED,
					() -> shop.insert()
						.then(shop.locked("inside", Mono::empty))
						.then(Mono.fromRunnable(() -> next.set(soldByNextOwner(shop, context))))));
			assertThat(next.get().get(1, TimeUnit.MINUTES)).isEqualTo(1);
		});
	}

	@Test
	void lockIsFreeAfterARollback() {
		run((shop, context) -> {
			List<Boolean> free = new ArrayList<>();
			assertThatIllegalStateException().isThrownBy(() -> ReactiveShop.run(within(context, PROPAGATION_REQUIRED,
					() -> shop.locked("inside", shop::insert).then(Mono.fromRunnable(() -> {
						free.add(isFree(context, "inside"));
						throw new IllegalStateException("not sold");
					})))));
			free.add(isFree(context, "inside"));
			assertThat(free).containsExactly(false, true);
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	void lockIsFreeAfterACancellation() {
		run((shop, context) -> {
			CompletableFuture<Boolean> free = new CompletableFuture<>();
			Mono<Void> work = within(context, PROPAGATION_REQUIRED,
					() -> shop.locked("inside", shop::insert)
						.then(Mono.fromRunnable(() -> free.complete(isFree(context, "inside"))))
						.then(Mono.never()));
			Disposable subscription = work.subscribe();
			assertThat(free.get(1, TimeUnit.MINUTES)).isFalse();
			subscription.dispose();
			await().atMost(Duration.ofMinutes(1)).until(() -> isFree(context, "inside"));
			assertThat(shop.sold()).isZero();
		});
	}

	@Test
	void secondCallInTheSameTransactionEntersTheLockAgain() {
		run((shop, context) -> {
			ReactiveShop.run(within(context, PROPAGATION_REQUIRED, () -> shop.locked("inside", shop::insert)
				.then(Mono.defer(() -> shop.locked("inside", shop::insert)))));
			assertThat(shop.sold()).isEqualTo(2);
			assertThat(isFree(context, "inside")).isTrue();
		});
	}

	@Test
	void newTransactionDoesNotEnterTheLockOfTheSuspendedOne() {
		run((shop, context) -> {
			List<Throwable> refused = new ArrayList<>();
			ReactiveShop.run(within(context, PROPAGATION_REQUIRED,
					() -> shop.locked("inside", Mono::empty)
						.then(within(context, PROPAGATION_REQUIRES_NEW, () -> shop.locked("inside", shop::insert)))
						.onErrorResume((failure) -> Mono.fromRunnable(() -> refused.add(failure)))));
			assertThat(refused).singleElement().isInstanceOf(LockBusyException.class);
			assertThat(isFree(context, "inside")).isTrue();
		});
	}

	@Test
	void lockOfANewTransactionIsReleasedAfterThatOne() {
		run((shop, context) -> {
			List<Boolean> free = new ArrayList<>();
			ReactiveShop.run(within(context, PROPAGATION_REQUIRED,
					() -> within(context, PROPAGATION_REQUIRES_NEW,
							() -> shop.locked("inside", Mono::empty)
								.then(Mono.fromRunnable(() -> free.add(isFree(context, "inside")))))
						.then(Mono.fromRunnable(() -> free.add(isFree(context, "inside"))))));
			assertThat(free).containsExactly(false, true);
		});
	}

	@Test
	void lockOfASavepointIsReleasedAfterItsTransaction() {
		run((shop, context) -> {
			List<Boolean> free = new ArrayList<>();
			ReactiveShop.run(within(context, PROPAGATION_REQUIRED,
					() -> within(context, PROPAGATION_NESTED, () -> shop.locked("inside", Mono::empty))
						.then(Mono.fromRunnable(() -> free.add(isFree(context, "inside"))))));
			free.add(isFree(context, "inside"));
			assertThat(free).containsExactly(false, true);
		});
	}

	@Test
	void lockIsReleasedAtOnceWhileTheTransactionIsSuspended() {
		run((shop, context) -> {
			List<Boolean> free = new ArrayList<>();
			ReactiveShop.run(within(context, PROPAGATION_REQUIRED,
					() -> within(context, PROPAGATION_NOT_SUPPORTED, () -> shop.locked("inside", Mono::empty))
						.then(Mono.fromRunnable(() -> free.add(isFree(context, "inside"))))));
			assertThat(free).containsExactly(true);
		});
	}

	@Test
	void transactionRollsBackWhenALockTakenInsideWasLostLater() {
		run((shop, context) -> {
			AtomicReference<HeldLock> held = new AtomicReference<>();
			assertLost(within(context, PROPAGATION_REQUIRED,
					() -> shop.locked("inside", () -> ReactiveLocks.current().doOnNext(held::set).then(shop.insert()))
						.then(Mono.fromRunnable(() -> shop.lose(held.get())))));
			assertThat(shop.sold()).isZero();
		});
	}

	private static CompletableFuture<Long> soldByNextOwner(ReactiveShop shop, ApplicationContext context) {
		DistributedLocks locks = context.getBean(DistributedLocks.class);
		LockOptions patient = locks.defaults().toBuilder().waitTime(Duration.ofMinutes(1)).build();
		return locks.acquireAsync("inside", patient).thenApply((held) -> {
			try (held) {
				return shop.sold();
			}
		});
	}

}
