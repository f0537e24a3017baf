package io.leasehold.interceptor;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.local.LocalLockEngine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the ways in which a stage ends, under a valid or a lost lock: what its caller
 * receives, and when the key becomes available. A lease outlasts each test.
 */
class StageOutcomeTests {

	@Test
	void lossJoinsTheFailureOfTheStage() {
		run((context) -> {
			CompletableFuture<String> body = new CompletableFuture<>();
			CompletableFuture<String> result = begin(context, () -> body);
			lose(context);
			IllegalStateException failure = new IllegalStateException("no");
			body.completeExceptionally(failure);
			assertThat(failureOf(result)).isSameAs(failure);
			assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
		});
	}

	@Test
	void failureUnderAValidLockStaysAlone() {
		run((context) -> {
			CompletableFuture<String> body = new CompletableFuture<>();
			CompletableFuture<String> result = begin(context, () -> body);
			IllegalStateException failure = new IllegalStateException("no");
			body.completeExceptionally(failure);
			assertThat(failureOf(result)).isSameAs(failure);
			assertThat(failure.getSuppressed()).isEmpty();
			assertThat(isFree(context)).isTrue();
		});
	}

	/** Nothing says that the work goes on: the method itself gave it up. */
	@Test
	void stageThatItsMethodCancelsIsCancelledAndReleasesItsLock() {
		run((context) -> {
			CompletableFuture<String> body = new CompletableFuture<>();
			CompletableFuture<String> result = begin(context, () -> body);
			body.cancel(true);
			assertThat(catchThrowable(() -> result.get(30, TimeUnit.SECONDS))).isInstanceOf(CancellationException.class)
				.hasNoSuppressedExceptions();
			assertThat(isFree(context)).isTrue();
		});
	}

	@Test
	void stageThatItsMethodCancelsUnderALostLockFailsWithTheLoss() {
		run((context) -> {
			CompletableFuture<String> body = new CompletableFuture<>();
			CompletableFuture<String> result = begin(context, () -> body);
			lose(context);
			body.cancel(true);
			assertThat(failureOf(result)).isInstanceOf(LockLostException.class);
		});
	}

	/** Such a stage refuses its cancellation, and shows its end. */
	@Test
	void minimalStageReleasesItsLockWhenItEndsAfterTheCancellationOfItsResult() {
		run((context) -> {
			CompletableFuture<String> body = new CompletableFuture<>();
			CompletableFuture<HeldLock> held = new CompletableFuture<>();
			CompletableFuture<String> result = context.getBean(Orders.class).anyStage(() -> {
				held.complete(HeldLock.current());
				return body.minimalCompletionStage();
			}).toCompletableFuture();
			HeldLock lock = held.get(30, TimeUnit.SECONDS);
			result.cancel(true);
			await().until(() -> !lock.isValid());
			assertThat(isFree(context)).isFalse();
			body.completeExceptionally(new CancellationException("its own"));
			await().until(() -> isFree(context));
		});
	}

	/** A cancelled body that returns a value has ended. */
	@Test
	void futureThatEndsInSpiteOfItsCancellationReleasesItsLock() {
		run((context) -> {
			CompletableFuture<Boolean> asked = new CompletableFuture<>();
			CompletableFuture<String> body = new CompletableFuture<>() {

				@Override
				public boolean cancel(boolean mayInterrupt) {
					asked.complete(mayInterrupt);
					return false;
				}

			};
			CompletableFuture<String> result = begin(context, () -> body);
			result.cancel(true);
			assertThat(asked.get(30, TimeUnit.SECONDS)).isTrue();
			assertThat(isFree(context)).isFalse();
			body.complete("paid");
			await().until(() -> isFree(context));
		});
	}

	@Test
	void methodThatReturnsNoStageEndsWithoutAValue() {
		run((context) -> {
			assertThat(
					context.getBean(Orders.class).anyStage(() -> null).toCompletableFuture().get(30, TimeUnit.SECONDS))
				.isNull();
			assertThat(isFree(context)).isTrue();
		});
	}

	/** A caller that has given up does not start a body. */
	@Test
	void bodyThatWasCancelledBeforeItsThreadWasFreeNeverBegins() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.lease=10m", "leasehold.async.max-threads=1")
			.run((context) -> {
				Orders orders = context.getBean(Orders.class);
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				CountDownLatch occupied = new CountDownLatch(1);
				CountDownLatch end = new CountDownLatch(1);
				CompletableFuture<String> first = orders.ofKey("first", () -> {
					occupied.countDown();
					awaitEnd(end);
					return CompletableFuture.completedFuture("paid");
				});
				awaitEnd(occupied);
				AtomicBoolean begun = new AtomicBoolean();
				CompletableFuture<String> second = orders.ofKey("second", () -> {
					begun.set(true);
					return CompletableFuture.completedFuture("paid");
				});
				await().until(() -> !Locked.isFree(locks, "second"));
				second.cancel(true);
				end.countDown();
				assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("paid");
				await().until(() -> context.getBean(LocalLockEngine.class).size() == 0);
				assertThat(begun).isFalse();
			});
	}

	@Test
	void stageWithoutALockPassesItsOutcomeOn() {
		run((context) -> {
			Orders orders = context.getBean(Orders.class);
			assertThat(orders.unlocked(() -> CompletableFuture.completedFuture("paid")).get(30, TimeUnit.SECONDS))
				.isEqualTo("paid");
			IllegalStateException failure = new IllegalStateException("no");
			assertThat(failureOf(orders.unlocked(() -> CompletableFuture.supplyAsync(() -> {
				throw failure;
			})))).isSameAs(failure);
			CompletableFuture<String> body = new CompletableFuture<>();
			CompletableFuture<String> result = orders.unlocked(() -> body);
			result.complete("given up without a cancellation");
			assertThat(body).isNotDone();
			CompletableFuture<String> cancelled = orders.unlocked(() -> body);
			cancelled.cancel(true);
			assertThat(body).isCancelled();
		});
	}

	@Test
	void closedThreadsStartNothingMore() {
		BodyThreads threads = new BodyThreads(() -> null, 1);
		threads.close();
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		threads.execute(() -> thread.complete(Thread.currentThread()));
		assertThat(thread.join().isDaemon()).isTrue();
		threads.close();
		assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> threads.execute(() -> {
		}));
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		Locked.runner(Orders.class).withPropertyValues("leasehold.lease=10m").run(test);
	}

	/** Call the method, and wait until its body has begun. */
	private static CompletableFuture<String> begin(AssertableApplicationContext context,
			Supplier<CompletableFuture<String>> body) throws Exception {
		CompletableFuture<HeldLock> held = new CompletableFuture<>();
		CompletableFuture<String> result = context.getBean(Orders.class).ofKey("order", () -> {
			held.complete(HeldLock.current());
			return body.get();
		});
		assertThat(held.get(30, TimeUnit.SECONDS).isValid()).isTrue();
		return result;
	}

	private static void lose(AssertableApplicationContext context) {
		context.getBean(LocalLockEngine.class).lose(new LockKey("order"));
	}

	private static boolean isFree(AssertableApplicationContext context) {
		return Locked.isFree(context.getBean(DistributedLocks.class), "order");
	}

	private static Throwable failureOf(CompletableFuture<String> result) {
		return catchThrowable(() -> result.get(30, TimeUnit.SECONDS)).getCause();
	}

	private static void awaitEnd(CountDownLatch end) {
		try {
			assertThat(end.await(60, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static class Orders {

		@DistributedLock(key = "#key")
		public CompletableFuture<String> ofKey(String key, Supplier<CompletableFuture<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order'")
		public CompletionStage<String> anyStage(Supplier<@Nullable CompletionStage<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order'", condition = "false")
		public CompletableFuture<String> unlocked(Supplier<CompletableFuture<String>> body) {
			return body.get();
		}

	}

}
