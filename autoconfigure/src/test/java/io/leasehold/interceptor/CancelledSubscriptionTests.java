package io.leasehold.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.function.Tuple2;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for subscriptions that are cancelled, as by a client that disconnects: a key is
 * available at once only if nothing of the body can still run.
 */
class CancelledSubscriptionTests {

	@Test
	@Fault(124)
	void callInAnotherThreadKeepsTheKeyUntilItReturns() {
		keepsItsKeyUntilItReturns((blocking) -> Mono.fromSupplier(blocking).subscribeOn(Schedulers.boundedElastic()));
	}

	@Test
	@Fault(124)
	void blockingStepOnAnotherSchedulerKeepsTheKeyUntilItReturns() {
		keepsItsKeyUntilItReturns(
				(blocking) -> Mono.just("order").publishOn(Schedulers.boundedElastic()).map((order) -> blocking.get()));
	}

	@Test
	@Fault(124)
	void stepBehindATimerKeepsTheKeyUntilItReturns() {
		keepsItsKeyUntilItReturns((blocking) -> Mono.delay(Duration.ofMillis(1), Schedulers.boundedElastic())
			.map((tick) -> blocking.get()));
	}

	private static void keepsItsKeyUntilItReturns(java.util.function.Function<Supplier<String>, Mono<String>> chain) {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			StubbornBody body = new StubbornBody();
			Disposable client = context.getBean(Orders.class)
				.mono(1, () -> ReactiveLocks.current().doOnNext(body::under).then(Mono.defer(() -> chain.apply(body))))
				.subscribe();
			body.awaitBegin();
			client.dispose();
			await().untilAsserted(() -> assertThat(context.getBean(RecordedEvents.class).losses())
				.containsExactly(LossCause.CANCELLED));
			assertThat(body.held().isValid()).isFalse();
			assertThat(Locked.isFree(locks, "order:1")).as("free while its body runs").isFalse();
			body.end();
		});
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			StubbornBody body = new StubbornBody();
			Disposable client = context.getBean(Orders.class).mono(1, () -> chain.apply(body)).subscribe();
			body.awaitBegin();
			client.dispose();
			await().untilAsserted(() -> assertThat(context.getBean(RecordedEvents.class).losses())
				.containsExactly(LossCause.CANCELLED));
			assertThat(Locked.isFree(locks, "order:1")).as("free while its body runs").isFalse();
			body.end();
			await().until(() -> Locked.isFree(locks, "order:1"));
		});
	}

	/** Reactor cancels the future, and nobody sees its work any more. */
	@Test
	@Fault(124)
	void workThatReactorDoesNotSeeLeavesTheKeyToTheLease() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			StubbornBody body = new StubbornBody();
			long before = System.nanoTime();
			Disposable client = context.getBean(Orders.class)
				.shortMono(1,
						() -> ReactiveLocks.current()
							.doOnNext(body::under)
							.then(Mono.fromFuture(() -> body.inAnotherThread())))
				.subscribe();
			body.awaitBegin();
			long token = body.held().fencingToken();
			client.dispose();
			await().until(() -> !body.held().isValid());
			try (HeldLock next = locks.acquire("order:1", locks.defaults().toBuilder().waitTime(Locked.SOON).build())) {
				assertThat(next.fencingToken()).isGreaterThan(token);
				assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(Duration.ofMillis(950).toNanos());
			}
			body.end();
		});
	}

	@Test
	@Fault(124)
	void chainThatEndsWhenItIsCancelledReleasesAtOnce() {
		List<Supplier<Mono<String>>> chains = List.of(Mono::never,
				() -> Mono.delay(Duration.ofHours(1)).map(String::valueOf),
				() -> Mono.delay(Duration.ofHours(1)).thenReturn("paid"),
				() -> Mono.just(1).flatMap((order) -> Mono.delay(Duration.ofHours(1))).map(String::valueOf),
				() -> Flux.interval(Duration.ofMillis(1))
					.publishOn(Schedulers.parallel())
					.filter((tick) -> tick < 0)
					.map(String::valueOf)
					.next(),
				() -> Mono.fromSupplier(() -> 1)
					.subscribeOn(Schedulers.boundedElastic())
					.delayElement(Duration.ofHours(1))
					.map(String::valueOf));
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			for (Supplier<Mono<String>> chain : chains) {
				CompletableFuture<Thread> subscribing = new CompletableFuture<>();
				Disposable client = context.getBean(Orders.class).mono(1, () -> {
					subscribing.complete(Thread.currentThread());
					return chain.get();
				}).subscribe();
				awaitReturn(subscribing.get(Locked.SOON.toSeconds(), TimeUnit.SECONDS));
				await().until(() -> !Locked.isFree(locks, "order:1"));
				client.dispose();
				await().until(() -> Locked.isFree(locks, "order:1"));
			}
		});
	}

	/** Such a part may have subscribed to work that the cancellation does not reach. */
	@Test
	@Fault(124)
	void partThatBeginsDuringTheCancellationLeavesTheKeyToTheLease() {
		run((context) -> {
			List<Runnable> tasks = new CopyOnWriteArrayList<>();
			Scheduler scheduler = Schedulers.fromExecutor(tasks::add);
			Disposable client = context.getBean(Orders.class)
				.mono(1, () -> Mono
					.zip(Mono.delay(Duration.ofHours(1)), Mono.fromSupplier(() -> "paid").subscribeOn(scheduler))
					.map(Tuple2::getT2)
					.doOnCancel(() -> tasks.forEach(Runnable::run)))
				.subscribe();
			await().until(() -> tasks.size() == 1);
			client.dispose();
			await().untilAsserted(() -> assertThat(context.getBean(RecordedEvents.class).losses())
				.containsExactly(LossCause.CANCELLED));
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isFalse();
		});
	}

	@Test
	@Fault(124)
	void consumerThatTakesAFewElementsReleasesTheLockWithoutLosingIt() {
		run((context) -> {
			Orders orders = context.getBean(Orders.class);
			for (Flux<Integer> source : List.of(Flux.range(1, 100), Flux.range(1, 100).publishOn(Schedulers.parallel()),
					Flux.interval(Duration.ofMillis(1)).map(Long::intValue))) {
				Flux<Integer> body = Flux.defer(() -> {
					Thread subscribing = Thread.currentThread();
					return source.doOnNext((element) -> awaitReturn(subscribing));
				});
				assertThat(orders.flux(1, body).take(3).collectList().block(Locked.SOON)).hasSize(3);
				await().until(() -> context.getBean(LocalLockEngine.class).size() == 0);
			}
			assertThat(context.getBean(RecordedEvents.class).losses()).isEmpty();
		});
	}

	@Test
	@Fault(122)
	void timeLimitWithARetryNeverRunsTwoBodies() {
		run((context) -> {
			StubbornBody body = new StubbornBody();
			Mono<String> mono = context.getBean(Orders.class)
				.patientMono(1, () -> Mono.fromSupplier(body).subscribeOn(Schedulers.boundedElastic()));
			CompletableFuture<String> result = mono.timeout(body.whenBegun())
				.onErrorResume(TimeoutException.class, (late) -> mono)
				.toFuture();
			await().until(context.getBean(RecordedEvents.class)::isAwaited);
			body.end();
			assertThat(result.get(Locked.SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("paid");
			assertThat(body.calls()).isEqualTo(2);
			assertThat(body.mostAtOnce()).isOne();
		});
	}

	@Test
	@Fault(122)
	void impatientRetryFindsTheKeyBusy() {
		run((context) -> {
			StubbornBody body = new StubbornBody();
			AtomicInteger attempts = new AtomicInteger();
			CompletableFuture<String> result = context.getBean(Orders.class)
				.mono(1, () -> Mono.fromSupplier(body).subscribeOn(Schedulers.boundedElastic()))
				.timeout(Mono.defer(() -> (attempts.incrementAndGet() == 1) ? body.whenBegun() : Mono.never()))
				.retry(1)
				.toFuture();
			assertThat(result).failsWithin(Locked.SOON)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(LockBusyException.class);
			assertThat(body.calls()).isOne();
			body.end();
		});
	}

	/** The result ends by a fallback while the call that it gave up still runs. */
	@Test
	@Fault(124)
	void callThatTheBodyItselfGaveUpKeepsTheKeyToo() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			StubbornBody body = new StubbornBody();
			Mono<String> call = Mono.fromSupplier(body)
				.subscribeOn(Schedulers.boundedElastic())
				.timeout(body.whenBegun(), Mono.just("later"));
			assertThat(context.getBean(Orders.class)
				.mono(1, () -> ReactiveLocks.current().doOnNext(body::under).then(call))
				.block(Locked.SOON)).isEqualTo("later");
			assertThat(body.held().isValid()).as("valid when the result is there").isFalse();
			assertThat(Locked.isFree(locks, "order:1")).as("free while its call runs").isFalse();
			body.end();
			await().until(() -> Locked.isFree(locks, "order:1"));
		});
	}

	/** As if a method returned after {@code Future.get} with a time limit. */
	@Test
	void workThatTheBodyGaveUpAndReactorDoesNotSeeIsNoPartOfTheBody() {
		run((context) -> {
			StubbornBody body = new StubbornBody();
			Mono<String> call = Mono.fromFuture(body::inAnotherThread).timeout(body.whenBegun(), Mono.just("later"));
			assertThat(context.getBean(Orders.class).mono(1, () -> call).block(Locked.SOON)).isEqualTo("later");
			await().until(() -> Locked.isFree(context.getBean(DistributedLocks.class), "order:1"));
			body.end();
			assertThat(context.getBean(RecordedEvents.class).losses()).isEmpty();
		});
	}

	/** The thread of the call itself finds the time limit over. */
	@Test
	@Fault(124)
	void callThatIsGivenUpInItsOwnThreadKeepsTheKeyToo() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Sinks.Empty<Void> limit = Sinks.empty();
			AtomicBoolean free = new AtomicBoolean();
			assertThat(context.getBean(Orders.class).mono(1, () -> {
				Thread subscribing = Thread.currentThread();
				return Mono.fromSupplier(() -> {
					awaitReturn(subscribing);
					limit.tryEmitEmpty();
					free.set(Locked.isFree(locks, "order:1"));
					return "paid";
				}).subscribeOn(Schedulers.boundedElastic()).timeout(limit.asMono(), Mono.just("later"));
			}).block(Locked.SOON)).isEqualTo("later");
			assertThat(free).as("free while its call runs").isFalse();
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
			assertThat(context.getBean(RecordedEvents.class).losses()).isEmpty();
		});
	}

	@Test
	@Fault(124)
	void callThatCancelsItselfKeepsTheKeyUntilItReturns() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Disposable.Swap client = Disposables.swap();
			CompletableFuture<Boolean> free = new CompletableFuture<>();
			client.update(context.getBean(Orders.class)
				.mono(1, () -> Mono.delay(Duration.ofMillis(1), Schedulers.boundedElastic()).map((tick) -> {
					await().until(() -> client.get() != null);
					client.dispose();
					await().untilAsserted(() -> assertThat(context.getBean(RecordedEvents.class).losses())
						.containsExactly(LossCause.CANCELLED));
					free.complete(Locked.isFree(locks, "order:1"));
					return "paid";
				}))
				.subscribe());
			assertThat(free.get(Locked.SOON.toSeconds(), TimeUnit.SECONDS)).as("free while its call runs").isFalse();
			await().until(() -> Locked.isFree(locks, "order:1"));
		});
	}

	@Test
	@Fault(124)
	void bodyThatIsInterruptedForALostLockKeepsTheKeyOfItsSuccessorApart() {
		Locked.runner(Orders.class, RecordedEvents.class)
			.withPropertyValues("leasehold.lease=10m", "leasehold.on-lost=interrupt")
			.run((context) -> {
				StubbornBody body = new StubbornBody();
				CompletableFuture<String> result = context.getBean(Orders.class)
					.mono(1, () -> ReactiveLocks.current()
						.doOnNext(body::under)
						.then(Mono.fromSupplier(body).subscribeOn(Schedulers.boundedElastic())))
					.toFuture();
				body.awaitBegin();
				context.getBean(io.leasehold.service.LockService.class).cancelled(body.held());
				assertThat(result).failsWithin(Locked.SOON)
					.withThrowableThat()
					.havingCause()
					.isInstanceOf(LockLostException.class);
				assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isFalse();
				body.end();
			});
	}

	/** Whenever a client leaves, no second body begins before the first has ended. */
	@Test
	@Fault(124)
	void cancellingAtAnyMomentNeverRunsTwoBodies() {
		run((context) -> {
			AtomicInteger inside = new AtomicInteger();
			AtomicInteger most = new AtomicInteger();
			Mono<String> mono = context.getBean(Orders.class).patientMono(1, () -> Mono.fromSupplier(() -> {
				most.accumulateAndGet(inside.incrementAndGet(), Math::max);
				long until = System.nanoTime() + 100_000;
				while (System.nanoTime() < until) {
					Thread.onSpinWait();
				}
				inside.decrementAndGet();
				return "paid";
			}).subscribeOn(Schedulers.boundedElastic()));
			List<CompletableFuture<String>> last = new ArrayList<>();
			for (int i = 0; i < 600; i++) {
				Disposable client = mono.subscribe();
				long until = System.nanoTime() + i % 300 * 2000L;
				while (System.nanoTime() < until) {
					Thread.onSpinWait();
				}
				client.dispose();
				if (i % 10 == 0) {
					last.add(mono.toFuture());
				}
			}
			for (CompletableFuture<String> result : last) {
				assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo("paid");
			}
			assertThat(most).hasValue(1);
			await().until(() -> context.getBean(LocalLockEngine.class).size() == 0);
		});
	}

	/** Wait until another thread has left the body to which it subscribed. */
	private static void awaitReturn(Thread subscribing) {
		if (subscribing != Thread.currentThread()) {
			await().until(() -> Arrays.stream(subscribing.getStackTrace())
				.noneMatch((frame) -> frame.getClassName().equals(Segments.class.getName())));
		}
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		Locked.runner(Orders.class, RecordedEvents.class).withPropertyValues("leasehold.lease=10m").run(test);
	}

	static class Orders {

		@DistributedLock(key = "'order:' + #id")
		public Mono<String> mono(int id, Supplier<Mono<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id", waitTime = "60s")
		public Mono<String> patientMono(int id, Supplier<Mono<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id", lease = "1s")
		public Mono<String> shortMono(int id, Supplier<Mono<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id")
		public Flux<Integer> flux(int id, Flux<Integer> body) {
			return body;
		}

	}

}
