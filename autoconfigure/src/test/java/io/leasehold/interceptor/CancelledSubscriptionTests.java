package io.leasehold.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LossCause;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.function.Tuple2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for subscriptions that are cancelled, as by a client that disconnects: a key is
 * available at once only if nothing of the body can still run.
 */
class CancelledSubscriptionTests extends CancelledBodyFixture {

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

}
