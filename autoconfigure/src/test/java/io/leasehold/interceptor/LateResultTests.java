package io.leasehold.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockKeyException;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks of methods that return a stage: a lock that was released when the method returns
 * would guard nothing, so it is held until the result has ended.
 */
@Fault(85)
class LateResultTests extends LateResultFixture {

	@Test
	void lockIsHeldUntilTheStageEnds() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			CompletableFuture<String> body = new CompletableFuture<>();
			AtomicReference<String> seen = new AtomicReference<>();
			CompletableFuture<String> result = context.getBean(Orders.class).stage(1, () -> {
				seen.set(HeldLock.current().key());
				return body;
			});
			await().until(() -> seen.get() != null);
			assertThat(seen.get()).isEqualTo("order:1");
			assertThat(Locked.isFree(locks, "order:1")).isFalse();
			assertThat(result).isNotDone();
			body.complete("paid");
			assertThat(result.get()).isEqualTo("paid");
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
		});
	}

	@Test
	void callerOfAStageDoesNotWaitForTheLock() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			HeldLock other = locks.acquireAsync("order:1").get();
			CompletableFuture<String> result = context.getBean(Orders.class)
				.patientStage(1, () -> CompletableFuture.completedFuture("paid"));
			assertThat(result).isNotDone();
			other.close();
			assertThat(result.get()).isEqualTo("paid");
		});
	}

	@Test
	void failuresOfTheStageComeThrough() {
		run((context) -> {
			Orders orders = context.getBean(Orders.class);
			IllegalStateException failure = new IllegalStateException("no");
			assertFailure(orders.stage(1, () -> CompletableFuture.failedFuture(failure))).isSameAs(failure);
			assertFailure(orders.stage(1, () -> {
				throw failure;
			})).isSameAs(failure);
			assertFailure(orders.stage(1, () -> CompletableFuture.supplyAsync(() -> {
				throw failure;
			}))).isSameAs(failure);
			assertFailure(orders.stage(null, LateResultTests::mustNotRun)).isInstanceOf(LockKeyException.class);
			assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
		});
	}

	@Test
	void busyAndUnavailableEndTheStage() {
		run((context) -> {
			Orders orders = context.getBean(Orders.class);
			Locked.whileHeld(context.getBean(DistributedLocks.class), "order:1", () -> {
				assertFailure(orders.stage(1, LateResultTests::mustNotRun)).isInstanceOf(LockBusyException.class);
				assertThat(orders.skippedStage(1).toCompletableFuture().get()).isNull();
				assertThat(orders.stageOrElse(1).get()).isEqualTo("LockBusyException");
			});
			context.getBean(LocalLockEngine.class).faults().setDown(true);
			assertFailure(orders.stage(1, LateResultTests::mustNotRun)).isInstanceOf(LockEngineException.class);
			assertThat(orders.stageOrElse(1).get()).isEqualTo("LockEngineException");
		});
	}

	@Test
	void cancelledStageGivesUpTheWaitOrTheLock() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Orders orders = context.getBean(Orders.class);
			HeldLock other = locks.acquireAsync("order:1").get();
			CompletableFuture<String> waiting = orders.patientStage(1, LateResultTests::mustNotRun);
			waiting.cancel(true);
			other.close();
			CompletableFuture<String> body = new CompletableFuture<>();
			CompletableFuture<String> running = orders.stage(1, () -> body);
			await().until(() -> !Locked.isFree(locks, "order:1"));
			running.cancel(true);
			assertThat(running).isCancelled();
			body.complete("paid");
			await().until(() -> Locked.isFree(locks, "order:1"));
		});
	}

	@Test
	void lossOfTheLockEndsTheStage() {
		runWithLease("1500ms", (context) -> {
			CompletableFuture<String> body = new CompletableFuture<>();
			CompletableFuture<HeldLock> held = new CompletableFuture<>();
			CompletableFuture<String> result = context.getBean(Orders.class).stage(1, () -> {
				held.complete(HeldLock.current());
				return body;
			});
			lose(context, held.get());
			body.complete("paid");
			assertFailure(result).isInstanceOf(LockLostException.class);
		});
	}

	@Test
	void maxHoldEndsTheHoldOfAResultThatNeverEnds() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Orders orders = context.getBean(Orders.class);
			CompletableFuture<HeldLock> ofStage = new CompletableFuture<>();
			CompletableFuture<String> result = orders.endlessStage(1, () -> {
				ofStage.complete(HeldLock.current());
				return new CompletableFuture<>();
			});
			Disposable subscription = orders.endlessMono(2).subscribe();
			CompletableFuture<LossCause> notified = new CompletableFuture<>();
			ofStage.get().onLost((loss) -> notified.complete(loss.getLossCause()));
			assertThat(notified.get(30, TimeUnit.SECONDS)).isEqualTo(LossCause.MAX_HOLD);
			await().until(() -> Locked.isFree(locks, "order:1") && Locked.isFree(locks, "order:2"));
			assertThat(result).isNotDone();
			subscription.dispose();
		});
	}

	@Test
	void lossCancelsTheBodyIfThatIsWanted() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.on-lost=interrupt", "leasehold.lease=300ms")
			.run((context) -> {
				CompletableFuture<String> body = new CompletableFuture<>();
				CompletableFuture<HeldLock> held = new CompletableFuture<>();
				CompletableFuture<String> stage = context.getBean(Orders.class).stage(1, () -> {
					held.complete(HeldLock.current());
					return body;
				});
				lose(context, held.get());
				assertFailure(stage).isInstanceOf(LockLostException.class);
				assertThat(body).isCancelled();
				CompletableFuture<HeldLock> heldByMono = new CompletableFuture<>();
				CompletableFuture<String> cancelled = new CompletableFuture<>();
				Mono<String> mono = context.getBean(Orders.class)
					.mono(2, () -> ReactiveLocks.current()
						.doOnNext(heldByMono::complete)
						.then(Mono.<String>never().doOnCancel(() -> cancelled.complete("cancelled"))));
				CompletableFuture<String> result = mono.toFuture();
				lose(context, heldByMono.get());
				assertFailure(result).isInstanceOf(LockLostException.class);
				assertThat(cancelled).isCompletedWithValue("cancelled");
			});
	}

	@Test
	void stageInsideALockedMethodReentersItsLock() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Orders orders = context.getBean(Orders.class);
			CompletableFuture<String> body = new CompletableFuture<>();
			AtomicReference<Long> inner = new AtomicReference<>();
			CompletableFuture<String> result = locks.call("order:1", (outer) -> {
				CompletableFuture<String> stage = orders.stage(1, () -> {
					inner.set(HeldLock.current().fencingToken());
					// in another thread than the one that took the lock
					return orders.plain(1) ? body : CompletableFuture.failedFuture(new AssertionError());
				});
				await().until(() -> inner.get() != null);
				assertThat(inner.get()).isEqualTo(outer.fencingToken());
				return stage;
			});
			assertThat(Locked.isFree(locks, "order:1")).as("held by the stage alone").isFalse();
			body.complete("paid");
			result.get();
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
		});
	}

	@Test
	void genericStageIsOneToo() {
		Locked.runner(GenericStage.class).run((context) -> {
			CompletableFuture<String> body = new CompletableFuture<>();
			CompletableFuture<String> result = context.getBean(GenericStage.class).run(body);
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			await().until(() -> !Locked.isFree(locks, "k"));
			body.complete("done");
			assertThat(result.get()).isEqualTo("done");
		});
	}

	static class Returns<T> {

		@DistributedLock(key = "'k'")
		public T run(T body) {
			return body;
		}

	}

	static class GenericStage extends Returns<CompletableFuture<String>> {

	}

}
