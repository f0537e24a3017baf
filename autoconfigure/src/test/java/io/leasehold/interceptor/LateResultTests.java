package io.leasehold.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.interceptor.LockInterceptorTests.Recorder;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reactivestreams.FlowAdapters;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for methods whose result ends later: a lock that was released when the method
 * returns would guard nothing, so it is held until the result has ended.
 */
@Fault(85)
class LateResultTests {

	private static final Duration SOON = Duration.ofMinutes(1);

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
		run((context) -> {
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
			CompletableFuture<LossCause> told = new CompletableFuture<>();
			ofStage.get().onLost((loss) -> told.complete(loss.getLossCause()));
			assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo(LossCause.MAX_HOLD);
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
				Mono<String> mono = context.getBean(Orders.class)
					.mono(2, () -> ReactiveLocks.current().doOnNext(heldByMono::complete).then(Mono.never()));
				CompletableFuture<String> result = mono.toFuture();
				lose(context, heldByMono.get());
				assertFailure(result).isInstanceOf(LockLostException.class);
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

	@Test
	void monoTakesItsLockWhenItIsSubscribedTo() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Sinks.One<String> body = Sinks.one();
			AtomicInteger calls = new AtomicInteger();
			Mono<String> mono = context.getBean(Orders.class).mono(1, () -> {
				calls.incrementAndGet();
				return body.asMono();
			});
			assertThat(calls).hasValue(0);
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
			CompletableFuture<String> result = mono.toFuture();
			await().until(() -> calls.get() == 1);
			assertThat(Locked.isFree(locks, "order:1")).isFalse();
			body.tryEmitValue("paid");
			assertThat(result.get()).isEqualTo("paid");
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
		});
	}

	@Test
	void eachSubscriptionHasALockOfItsOwn() {
		run((context) -> {
			Mono<Long> token = context.getBean(Orders.class).token(1);
			long first = token.block(SOON);
			long second = token.block(SOON);
			assertThat(second).isGreaterThan(first);
			List<Long> both = Flux.merge(token, token).collectList().block(SOON);
			assertThat(both).doesNotHaveDuplicates();
			assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
		});
	}

	@Test
	void fluxHoldsItsLockUntilItsEnd() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Sinks.Many<Integer> body = Sinks.many().unicast().onBackpressureBuffer();
			CompletableFuture<List<Integer>> result = context.getBean(Orders.class)
				.flux(1, body::asFlux)
				.collectList()
				.toFuture();
			body.tryEmitNext(1);
			body.tryEmitNext(2);
			await().until(() -> !Locked.isFree(locks, "order:1"));
			body.tryEmitComplete();
			assertThat(result.get()).containsExactly(1, 2);
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
		});
	}

	@Test
	void flowPublisherIsGuardedToo() {
		run((context) -> {
			Flow.Publisher<Integer> publisher = context.getBean(Orders.class).publisher(1);
			assertThat(Flux.from(FlowAdapters.toPublisher(publisher)).collectList().block(SOON)).containsExactly(1, 2);
			assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
		});
	}

	@Test
	void waitingSubscriptionBlocksNoThread() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			HeldLock other = locks.acquireAsync("order:1").get();
			CompletableFuture<String> result = context.getBean(Orders.class)
				.patientMono(1, () -> Mono.just("paid"))
				.toFuture();
			assertThat(result).isNotDone();
			other.close();
			assertThat(result.get()).isEqualTo("paid");
		});
	}

	@Test
	void cancelledSubscriptionGivesUpTheWaitOrTheLock() {
		runWithLease("10m", (context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Orders orders = context.getBean(Orders.class);
			HeldLock other = locks.acquireAsync("order:1").get();
			Disposable waiting = orders.patientMono(1, () -> Mono.fromSupplier(LateResultTests::mustNotBe)).subscribe();
			waiting.dispose();
			other.close();
			Disposable running = orders.flux(1, Flux::never).subscribe();
			await().until(() -> !Locked.isFree(locks, "order:1"));
			running.dispose();
			await().until(() -> Locked.isFree(locks, "order:1"));
			assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
		});
	}

	@Test
	void cancellingAtAnyMomentReleasesAtOnce() {
		runWithLease("10m",
				(context) -> cancelAtAnyMoment(context, () -> Mono.delay(Duration.ofNanos(1)).map((tick) -> "x")));
	}

	/** At the moment when it goes on to another source, its lock is left to the lease. */
	@Test
	void cancellingABodyOfSeveralSourcesLeavesNothingAfterItsLease() {
		run((context) -> cancelAtAnyMoment(context, () -> Mono.delay(Duration.ofNanos(1)).thenReturn("x")));
	}

	private static void cancelAtAnyMoment(AssertableApplicationContext context, Supplier<Mono<String>> body) {
		Mono<String> mono = context.getBean(Orders.class).patientMono(1, body);
		for (int i = 0; i < 500; i++) {
			Disposable subscription = mono.subscribe();
			long until = System.nanoTime() + i * 1000L;
			while (System.nanoTime() < until) {
				Thread.onSpinWait();
			}
			subscription.dispose();
		}
		await().until(() -> context.getBean(LocalLockEngine.class).size() == 0);
	}

	@Test
	void failuresOfAPublisherComeThrough() {
		run((context) -> {
			Orders orders = context.getBean(Orders.class);
			IllegalStateException failure = new IllegalStateException("no");
			assertFailure(orders.mono(1, () -> Mono.error(failure)).toFuture()).isSameAs(failure);
			assertFailure(orders.mono(1, () -> {
				throw failure;
			}).toFuture()).isSameAs(failure);
			assertFailure(orders.flux(1, () -> Flux.just(1).concatWith(Flux.error(failure))).then().toFuture())
				.isSameAs(failure);
			assertFailure(orders.mono(null, Mono::never).toFuture()).isInstanceOf(LockKeyException.class);
			assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
		});
	}

	@Test
	void busyPublisherFailsOrIsSkippedOrReplaced() {
		run((context) -> {
			Orders orders = context.getBean(Orders.class);
			Locked.whileHeld(context.getBean(DistributedLocks.class), "order:1", () -> {
				assertFailure(orders.mono(1, Mono::never).toFuture()).isInstanceOf(LockBusyException.class);
				assertThat(orders.skippedFlux(1).collectList().block(SOON)).isEmpty();
				assertThat(orders.monoOrElse(1).block(SOON)).isEqualTo("LockBusyException");
			});
		});
	}

	@Test
	void publisherRunsWithoutItsLockWhereThatIsWanted() {
		Locked.runner(Orders.class).withPropertyValues("leasehold.when-unavailable=proceed").run((context) -> {
			context.getBean(LocalLockEngine.class).faults().setDown(true);
			assertThat(context.getBean(Orders.class).mono(1, () -> Mono.just("paid")).block(SOON)).isEqualTo("paid");
			assertThat(context.getBean(Orders.class)
				.stage(1, () -> CompletableFuture.completedFuture("paid"))
				.get(30, TimeUnit.SECONDS)).isEqualTo("paid");
		});
	}

	@Test
	void lossOfTheLockEndsThePublisher() {
		run((context) -> {
			CompletableFuture<HeldLock> held = new CompletableFuture<>();
			Sinks.One<String> body = Sinks.one();
			CompletableFuture<String> result = context.getBean(Orders.class)
				.mono(1, () -> ReactiveLocks.current().doOnNext(held::complete).then(body.asMono()))
				.toFuture();
			lose(context, held.get());
			body.tryEmitValue("paid");
			assertFailure(result).isInstanceOf(LockLostException.class);
		});
	}

	@Test
	void subscriptionReentersTheLockOfItsContext() {
		run((context) -> {
			Orders orders = context.getBean(Orders.class);
			List<Long> tokens = orders
				.flux(1, () -> Flux.concat(ReactiveLocks.current().map(HeldLock::fencingToken), orders.token(1))
					.map(Long::intValue))
				.map(Integer::longValue)
				.collectList()
				.block(SOON);
			assertThat(tokens).hasSize(2);
			assertThat(tokens.get(0)).isEqualTo(tokens.get(1));
		});
	}

	@Test
	void noLockIsCurrentOutsideOfAnyMethod() {
		assertThatIllegalStateException().isThrownBy(() -> ReactiveLocks.current().block(SOON))
			.withMessageContaining("@DistributedLock");
	}

	@Test
	void severalKeysOfAPublisherAreAllHeld() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Sinks.One<String> body = Sinks.one();
			CompletableFuture<String> result = context.getBean(Orders.class)
				.all(List.of("b", "a"), body.asMono())
				.toFuture();
			await().until(() -> !Locked.isFree(locks, "a") && !Locked.isFree(locks, "b"));
			body.tryEmitValue("x");
			assertThat(result.get()).isEqualTo("x");
			Locked.whileHeld(locks, "b",
					() -> assertFailure(context.getBean(Orders.class).all(List.of("a", "b"), Mono.never()).toFuture())
						.isInstanceOf(LockBusyException.class));
			await().until(() -> context.getBean(LocalLockEngine.class).size() == 0);
		});
	}

	@Test
	void conditionCountsAtTheSubscription() {
		Locked.runner(Orders.class, Recorder.class).run((context) -> {
			assertThat(context.getBean(Orders.class).monoIf(false).block(SOON)).isFalse();
			assertThat(context.getBean(Orders.class).monoIf(true).block(SOON)).isTrue();
		});
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		runWithLease("1500ms", test);
	}

	/** A lease that outlasts the test makes sure that nothing is left to it. */
	private static void runWithLease(String lease, ContextConsumer<AssertableApplicationContext> test) {
		Locked.runner(Orders.class).withPropertyValues("leasehold.lease=" + lease).run(test);
	}

	private static org.assertj.core.api.AbstractThrowableAssert<?, ?> assertFailure(CompletableFuture<?> result) {
		AtomicReference<Throwable> failure = new AtomicReference<>();
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> result.get(30, TimeUnit.SECONDS))
			.satisfies((ex) -> failure.set((ex instanceof ExecutionException) ? ex.getCause() : ex));
		return assertThat(failure.get());
	}

	private static void lose(AssertableApplicationContext context, HeldLock held) {
		context.getBean(LocalLockEngine.class).lose(new LockKey(held.key()));
		await().until(() -> !held.isValid());
	}

	private static <T> CompletableFuture<T> mustNotRun() {
		throw new AssertionError("The body ran without its lock");
	}

	private static String mustNotBe() {
		throw new AssertionError("The body ran without its lock");
	}

	static class Orders {

		@DistributedLock(key = "'order:' + #id")
		public CompletableFuture<String> stage(@Nullable Integer id, Supplier<CompletableFuture<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id", waitTime = "20s")
		public CompletableFuture<String> patientStage(int id, Supplier<CompletableFuture<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id", maxHold = "300ms")
		public CompletableFuture<String> endlessStage(int id, Supplier<CompletableFuture<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id", maxHold = "300ms")
		public Mono<String> endlessMono(int id) {
			return Mono.never();
		}

		@DistributedLock(key = "'order:' + #id", whenBusy = WhenBusy.SKIP)
		public CompletionStage<String> skippedStage(int id) {
			return mustNotRun();
		}

		@DistributedLock(key = "'order:' + #id", fallback = "orElse")
		public CompletableFuture<String> stageOrElse(int id) {
			return mustNotRun();
		}

		CompletableFuture<String> orElse(int id, LockException reason) {
			return CompletableFuture.completedFuture(reason.getClass().getSimpleName());
		}

		@DistributedLock(key = "'order:' + #id")
		public boolean plain(int id) {
			return true;
		}

		@DistributedLock(key = "'order:' + #id")
		public Mono<String> mono(@Nullable Integer id, Supplier<Mono<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id", waitTime = "20s")
		public Mono<String> patientMono(int id, Supplier<Mono<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id", fallback = "monoOtherwise")
		public Mono<String> monoOrElse(int id) {
			return Mono.fromSupplier(LateResultTests::mustNotBe);
		}

		Mono<String> monoOtherwise(int id, LockException reason) {
			return Mono.just(reason.getClass().getSimpleName());
		}

		@DistributedLock(key = "'order:' + #id", waitTime = "20s")
		public Mono<Long> token(int id) {
			return ReactiveLocks.current().map(HeldLock::fencingToken);
		}

		@DistributedLock(key = "'order:' + #id")
		public Flux<Integer> flux(int id, Supplier<Flux<Integer>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id", whenBusy = WhenBusy.SKIP)
		public Flux<Integer> skippedFlux(int id) {
			return Flux.error(new AssertionError("The body ran without its lock"));
		}

		@DistributedLock(key = "'order:' + #id")
		public Flow.Publisher<Integer> publisher(int id) {
			return FlowAdapters.toFlowPublisher(Flux.just(1, 2));
		}

		@DistributedLock(key = "#keys")
		public Mono<String> all(List<String> keys, Mono<String> body) {
			return body;
		}

		@DistributedLock(key = "'k'", condition = "#wanted")
		public Mono<Boolean> monoIf(boolean wanted) {
			return ReactiveLocks.current().hasElement().onErrorReturn(false);
		}

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
