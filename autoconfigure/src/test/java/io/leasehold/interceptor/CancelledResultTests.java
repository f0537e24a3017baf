package io.leasehold.interceptor;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
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

	@Test
	@Fault(121)
	void cancelledStageKeepsItsKeyUntilItsBodyHasEnded() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			StubbornBody body = new StubbornBody();
			CompletableFuture<String> result = context.getBean(Orders.class)
				.stage(1, () -> body.under(HeldLock.current()).inAnotherThread());
			body.awaitBegin();
			assertThat(result.cancel(true)).isTrue();
			assertThat(body.loss()).isEqualTo(LossCause.CANCELLED);
			assertThat(body.held().isValid()).isFalse();
			assertThat(Locked.isFree(locks, "order:1")).as("free while its body runs").isFalse();
			await().untilAsserted(() -> assertThat(context.getBean(RecordedEvents.class).losses())
				.containsExactly(LossCause.CANCELLED));
			body.end();
			await().until(() -> Locked.isFree(locks, "order:1"));
		});
	}

	@Test
	@Fault(121)
	void stageThatIsCancelledBeforeItsMethodReturnsKeepsItsKey() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			StubbornBody body = new StubbornBody();
			CompletableFuture<String> result = context.getBean(Orders.class)
				.stage(1, () -> CompletableFuture.completedFuture(body.under(HeldLock.current()).get()));
			body.awaitBegin();
			result.cancel(true);
			assertThat(body.loss()).isEqualTo(LossCause.CANCELLED);
			assertThat(Locked.isFree(locks, "order:1")).as("free while its method runs").isFalse();
			body.end();
			await().until(() -> Locked.isFree(locks, "order:1"));
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
			long token = held.get(Locked.SOON.toSeconds(), TimeUnit.SECONDS).fencingToken();
			result.cancel(true);
			assertThat(stopped.get(Locked.SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
			assertThat(held.get().isValid()).isFalse();
			try (HeldLock next = locks.acquire("order:1", locks.defaults().toBuilder().waitTime(Locked.SOON).build())) {
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
			StubbornBody body = new StubbornBody();
			Orders orders = context.getBean(Orders.class);
			CompletableFuture<String> result = Mono.fromFuture(() -> orders.patientStage(1, body::inAnotherThread))
				.timeout(body.whenBegun())
				.onErrorResume(TimeoutException.class,
						(late) -> Mono.fromFuture(() -> orders.patientStage(1, body::inAnotherThread)))
				.toFuture();
			body.assertRetryRunsAfterIt(result, context.getBean(RecordedEvents.class));
		});
	}

	@Test
	@Fault(122)
	void impatientRetryFindsTheKeyBusy() {
		run((context) -> {
			StubbornBody body = new StubbornBody();
			Orders orders = context.getBean(Orders.class);
			AtomicInteger attempts = new AtomicInteger();
			CompletableFuture<String> result = Mono.fromFuture(() -> orders.stage(1, body::inAnotherThread))
				.timeout(Mono.defer(() -> (attempts.incrementAndGet() == 1) ? body.whenBegun() : Mono.never()))
				.retry(1)
				.toFuture();
			Locked.failure(result).isInstanceOf(LockBusyException.class);
			assertThat(body.calls()).isOne();
			body.end();
			await().until(() -> context.getBean(LocalLockEngine.class).size() == 0);
		});
	}

	/**
	 * What is interrupted by the loss cannot be seen to end either. The result ends when
	 * a release would be over.
	 */
	@Test
	@Fault(121)
	void bodyThatIsCancelledForALostLockDoesNotOpenTheKey() {
		Locked.runner(Orders.class, RecordedEvents.class)
			.withPropertyValues("leasehold.on-lost=interrupt", "leasehold.lease=10m")
			.run((context) -> {
				StubbornBody body = new StubbornBody();
				CompletableFuture<String> future = new CompletableFuture<>();
				CompletableFuture<String> result = context.getBean(Orders.class).stage(1, () -> {
					body.under(HeldLock.current()).inAnotherThread();
					return future;
				});
				body.awaitBegin();
				context.getBean(LockService.class).cancelled(body.held());
				Locked.failure(result).isInstanceOf(LockLostException.class);
				assertThat(future).isCancelled();
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
			await().until(() -> held.get() != null);
			assertThat(Locked.isFree(locks, "order:1")).isFalse();
			body.complete("paid");
			assertThat(result.toCompletableFuture().get(Locked.SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("paid");
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
			Locked.failure(result.toCompletableFuture()).isSameAs(refusal);
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isFalse();
		});
	}

	@Test
	@Fault(121)
	void lockThatWasLostByCancellationCannotBeUsedAgain() {
		run((context) -> {
			StubbornBody body = new StubbornBody();
			CompletableFuture<String> result = context.getBean(Orders.class)
				.stage(1, () -> body.under(HeldLock.current()).inAnotherThread());
			body.awaitBegin();
			result.cancel(true);
			HeldLock held = body.held();
			await().until(() -> !held.isValid());
			assertThat(org.assertj.core.api.Assertions.catchThrowable(held::throwIfLost))
				.isInstanceOf(LockLostException.class)
				.hasMessageContaining("cancelled");
			body.end();
		});
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		Locked.run(Orders.class, test);
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

		@DistributedLock(key = "'order:' + #id", waitTime = "60s")
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
