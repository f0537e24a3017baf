package io.leasehold.interceptor;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for stages that are cancelled: cancelling a result stops no thread, so a key that
 * became available at once would let a second body run.
 */
class CancelledResultTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	@Test
	@Fault(121)
	void cancelledStageKeepsItsKeyUntilItsBodyHasEnded() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Body body = new Body();
			CompletableFuture<String> result = context.getBean(Orders.class)
				.stage(1, () -> CompletableFuture.supplyAsync(body.under(HeldLock.current())));
			body.awaitBegin();
			assertThat(result.cancel(true)).isTrue();
			assertThat(body.loss.get(20, TimeUnit.SECONDS)).isEqualTo(LossCause.CANCELLED);
			assertThat(body.held.get().isValid()).isFalse();
			assertThat(Locked.isFree(locks, "order:1")).as("free while its body runs").isFalse();
			await().atMost(SOON)
				.untilAsserted(
						() -> assertThat(context.getBean(Losses.class).causes).containsExactly(LossCause.CANCELLED));
			body.end();
			await().atMost(SOON).until(() -> Locked.isFree(locks, "order:1"));
		});
	}

	@Test
	@Fault(121)
	void stageThatIsCancelledBeforeItsMethodReturnsKeepsItsKey() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Body body = new Body();
			CompletableFuture<String> result = context.getBean(Orders.class)
				.stage(1, () -> CompletableFuture.completedFuture(body.under(HeldLock.current()).get()));
			body.awaitBegin();
			result.cancel(true);
			assertThat(body.loss.get(20, TimeUnit.SECONDS)).isEqualTo(LossCause.CANCELLED);
			assertThat(Locked.isFree(locks, "order:1")).as("free while its method runs").isFalse();
			body.end();
			await().atMost(SOON).until(() -> Locked.isFree(locks, "order:1"));
		});
	}

	/**
	 * Nothing shows whether the work behind such a future goes on. Its holder believes in
	 * its lease of one second for a little less than that.
	 */
	@Test
	@Fault(121)
	void futureWithACancellationOfItsOwnIsCancelledAndItsKeyLeftToTheLease() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			CompletableFuture<HeldLock> held = new CompletableFuture<>();
			CompletableFuture<Boolean> stopped = new CompletableFuture<>();
			long before = System.nanoTime();
			CompletableFuture<String> result = context.getBean(Orders.class).shortStage(1, () -> {
				held.complete(HeldLock.current());
				return new Stoppable(stopped);
			});
			long token = held.get(20, TimeUnit.SECONDS).fencingToken();
			result.cancel(true);
			assertThat(stopped.get(20, TimeUnit.SECONDS)).isTrue();
			assertThat(held.get().isValid()).isFalse();
			try (HeldLock next = locks.acquire("order:1", locks.defaults().withWaitTime(SOON))) {
				assertThat(next.fencingToken()).isGreaterThan(token);
				assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(Duration.ofMillis(950).toNanos());
			}
		});
	}

	/** A time limit with a retry: the second attempt never runs beside the first. */
	@Test
	@Fault(122)
	void retryAfterATimeOutDoesNotRunBesideTheFirstBody() {
		run((context) -> {
			AtomicInteger inside = new AtomicInteger();
			AtomicInteger most = new AtomicInteger();
			AtomicInteger calls = new AtomicInteger();
			CountDownLatch first = new CountDownLatch(1);
			Supplier<CompletableFuture<String>> body = () -> CompletableFuture.supplyAsync(() -> {
				most.accumulateAndGet(inside.incrementAndGet(), Math::max);
				if (calls.incrementAndGet() == 1) {
					awaitOrFail(first);
				}
				inside.decrementAndGet();
				return "paid";
			});
			Orders orders = context.getBean(Orders.class);
			CompletableFuture<String> result = Mono.fromFuture(() -> orders.patientStage(1, body))
				.timeout(Duration.ofMillis(300), Mono.error(new IllegalStateException("too late")))
				.onErrorResume(IllegalStateException.class, (late) -> Mono.fromFuture(() -> {
					CompletableFuture<String> second = orders.patientStage(1, body);
					// Not in the common pool, whose only thread on two processors runs
					// the body
					CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS, Runnable::run)
						.execute(first::countDown);
					return second;
				}))
				.toFuture();
			assertThat(result.get(20, TimeUnit.SECONDS)).isEqualTo("paid");
			assertThat(calls).hasValue(2);
			assertThat(most).hasValue(1);
		});
	}

	@Test
	@Fault(122)
	void impatientRetryFindsTheKeyBusy() {
		run((context) -> {
			AtomicInteger calls = new AtomicInteger();
			Body body = new Body();
			Orders orders = context.getBean(Orders.class);
			CompletableFuture<String> result = Mono.fromFuture(() -> orders.stage(1, () -> {
				calls.incrementAndGet();
				return CompletableFuture.supplyAsync(body);
			})).timeout(Duration.ofMillis(300)).retry(1).toFuture();
			assertThat(result).failsWithin(SOON)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(LockBusyException.class);
			assertThat(calls).hasValue(1);
			body.end();
			await().atMost(SOON).until(() -> context.getBean(LocalLockEngine.class).size() == 0);
		});
	}

	/** What is interrupted by the loss cannot be seen to end either. */
	@Test
	@Fault(121)
	void bodyThatIsCancelledForALostLockDoesNotOpenTheKey() {
		Locked.runner(Orders.class, Losses.class)
			.withPropertyValues("leasehold.on-lost=interrupt", "leasehold.lease=60s")
			.run((context) -> {
				Body body = new Body();
				CompletableFuture<String> future = new CompletableFuture<>();
				CompletableFuture<String> result = context.getBean(Orders.class).stage(1, () -> {
					CompletableFuture.runAsync(body::get);
					return future;
				});
				body.awaitBegin();
				result.cancel(true);
				await().atMost(SOON).until(future::isCancelled);
				Thread.sleep(100); // a release would be under way
				assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isFalse();
				body.end();
			});
	}

	@Test
	@Fault(123)
	void stageWithoutAFutureEndsAsOthersDo() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			CompletableFuture<String> body = new CompletableFuture<>();
			AtomicReference<HeldLock> held = new AtomicReference<>();
			CompletionStage<String> result = context.getBean(Orders.class).anyStage(1, () -> {
				held.set(HeldLock.current());
				return withoutFuture(body);
			});
			await().atMost(SOON).until(() -> held.get() != null);
			assertThat(Locked.isFree(locks, "order:1")).isFalse();
			body.complete("paid");
			assertThat(result.toCompletableFuture().get(20, TimeUnit.SECONDS)).isEqualTo("paid");
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
		});
	}

	/** A stage that cannot be followed: its work may go on. */
	@Test
	@Fault(123)
	void stageThatRefusesToBeFollowedFailsAndLeavesItsKeyToTheLease() {
		run((context) -> {
			IllegalStateException refusal = new IllegalStateException("no");
			CompletionStage<String> result = context.getBean(Orders.class).anyStage(1, () -> refusing(refusal));
			assertThat(result.toCompletableFuture()).failsWithin(SOON)
				.withThrowableThat()
				.havingCause()
				.isSameAs(refusal);
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isFalse();
		});
	}

	@Test
	@Fault(121)
	void lockThatWasLostByCancellationCannotBeUsedAgain() {
		run((context) -> {
			Body body = new Body();
			CompletableFuture<String> result = context.getBean(Orders.class)
				.stage(1, () -> CompletableFuture.supplyAsync(body.under(HeldLock.current())));
			body.awaitBegin();
			result.cancel(true);
			HeldLock held = body.held.get();
			await().atMost(SOON).until(() -> !held.isValid());
			assertThat(org.assertj.core.api.Assertions.catchThrowable(held::throwIfLost))
				.isInstanceOf(LockLostException.class)
				.hasMessageContaining("cancelled");
			body.end();
		});
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		Locked.runner(Orders.class, Losses.class).withPropertyValues("leasehold.lease=60s").run(test);
	}

	private static void awaitOrFail(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@SuppressWarnings("unchecked")
	private static CompletionStage<String> withoutFuture(CompletableFuture<String> body) {
		return (CompletionStage<String>) Proxy.newProxyInstance(CompletionStage.class.getClassLoader(),
				new Class<?>[] { CompletionStage.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("toCompletableFuture")) {
						throw new UnsupportedOperationException("no future");
					}
					return method.invoke(body, arguments);
				});
	}

	@SuppressWarnings("unchecked")
	private static CompletionStage<String> refusing(RuntimeException refusal) {
		return (CompletionStage<String>) Proxy.newProxyInstance(CompletionStage.class.getClassLoader(),
				new Class<?>[] { CompletionStage.class }, (proxy, method, arguments) -> {
					throw refusal;
				});
	}

	/** Work that goes on until it is let go, whatever becomes of its result. */
	static final class Body implements Supplier<String> {

		final AtomicReference<@Nullable HeldLock> held = new AtomicReference<>();

		final CompletableFuture<LossCause> loss = new CompletableFuture<>();

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch end = new CountDownLatch(1);

		Body under(HeldLock lock) {
			this.held.set(lock);
			lock.onLost((lost) -> this.loss.complete(lost.getLossCause()));
			return this;
		}

		@Override
		public String get() {
			this.begun.countDown();
			awaitOrFail(this.end);
			return "paid";
		}

		void awaitBegin() {
			awaitOrFail(this.begun);
		}

		void end() {
			this.end.countDown();
		}

	}

	static class Losses implements LockEventListener {

		final List<LossCause> causes = new CopyOnWriteArrayList<>();

		@Override
		public void onEvent(LockEvent event) {
			if (event instanceof LockEvent.HoldLost lost) {
				this.causes.add(lost.cause());
			}
		}

	}

	/** A future that stops its work when it is cancelled, or says so. */
	static final class Stoppable extends CompletableFuture<String> {

		private final CompletableFuture<Boolean> stopped;

		Stoppable(CompletableFuture<Boolean> stopped) {
			this.stopped = stopped;
		}

		@Override
		public boolean cancel(boolean mayInterrupt) {
			this.stopped.complete(true);
			return super.cancel(mayInterrupt);
		}

	}

	static class Orders {

		@DistributedLock(key = "'order:' + #id")
		public CompletableFuture<String> stage(int id, Supplier<CompletableFuture<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id", waitTime = "20s")
		public CompletableFuture<String> patientStage(int id, Supplier<CompletableFuture<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id", lease = "1s")
		public CompletableFuture<String> shortStage(int id, Supplier<CompletableFuture<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id")
		public CompletionStage<String> anyStage(int id, Supplier<CompletionStage<String>> body) {
			return body.get();
		}

	}

}
