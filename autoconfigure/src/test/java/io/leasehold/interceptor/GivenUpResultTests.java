package io.leasehold.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.leasehold.DistributedLocks;
import io.leasehold.LockInspector;
import io.leasehold.annotation.DistributedLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that a caller that completes its result, in whatever way, waits no longer.
 */
class GivenUpResultTests {

	enum End {

		CANCEL((result) -> result.cancel(true)),

		OR_TIMEOUT((result) -> result.orTimeout(1, TimeUnit.MILLISECONDS)),

		COMPLETE_ON_TIMEOUT((result) -> result.completeOnTimeout(null, 1, TimeUnit.MILLISECONDS)),

		COMPLETE((result) -> result.complete(null)),

		COMPLETE_EXCEPTIONALLY((result) -> result.completeExceptionally(new IllegalStateException())),

		OBTRUDE((result) -> result.obtrudeValue(null)),

		OBTRUDE_EXCEPTION((result) -> result.obtrudeException(new IllegalStateException()));

		private final Consumer<CompletableFuture<?>> end;

		End(Consumer<CompletableFuture<?>> end) {
			this.end = end;
		}

	}

	@ParameterizedTest
	@EnumSource
	void methodIsNotCalledAndItsLockNotAcquired(End kind) {
		run((orders, locks) -> kind.end.accept(orders.pay()));
	}

	@ParameterizedTest
	@EnumSource
	void lockIsNotAcquired(End kind) {
		run((orders, locks) -> kind.end
			.accept(locks.acquireAsync("order", locks.defaults().toBuilder().waitTime(Locked.SOON).build())));
	}

	private static void run(Caller caller) {
		Locked.runner(Orders.class).run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			LockInspector inspector = context.getBean(LockInspector.class);
			Locked.whileHeld(locks, "order", () -> {
				caller.call(context.getBean(Orders.class), locks);
				await().atMost(Locked.SOON.dividedBy(2)).until(() -> inspector.overview().waiting().isEmpty());
			});
			assertThat(context.getBean(Orders.class).calls).isZero();
		});
	}

	interface Caller {

		void call(Orders orders, DistributedLocks locks);

	}

	static class Orders {

		private volatile int calls;

		@DistributedLock(key = "'order'", waitTime = "1m", minHold = "10m")
		CompletableFuture<Void> pay() {
			this.calls++;
			return CompletableFuture.completedFuture(null);
		}

	}

}
