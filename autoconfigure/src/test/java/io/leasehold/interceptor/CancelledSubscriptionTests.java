package io.leasehold.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
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
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for subscriptions that are cancelled, as by a client that disconnects.
 */
class CancelledSubscriptionTests {

	@Test
	@Fault(124)
	void lostLockIsNotRenewedAndItsLeaseEnds() {
		runWithLease("1s", (context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			StubbornBody body = new StubbornBody();
			long before = System.nanoTime();
			Disposable client = context.getBean(Orders.class).mono(1, () -> running(body)).subscribe();
			body.awaitBegin();
			long token = body.held().fencingToken();
			client.dispose();
			assertThat(body.loss()).isEqualTo(LossCause.CANCELLED);
			try (HeldLock next = locks.acquire("order:1", locks.defaults().toBuilder().waitTime(Locked.SOON).build())) {
				assertThat(next.fencingToken()).isGreaterThan(token);
				assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(Duration.ofMillis(950).toNanos());
			}
			await().untilAsserted(() -> assertThat(context.getBean(RecordedEvents.class).losses())
				.containsExactly(LossCause.CANCELLED));
			body.end();
		});
	}

	@Test
	@Fault(124)
	void cancelledWaitLeavesNothing() {
		run((context) -> {
			HeldLock other = context.getBean(DistributedLocks.class).acquireAsync("order:1").get();
			Disposable waiting = context.getBean(Orders.class)
				.patientMono(1, () -> Mono.fromSupplier(LateResultTests::mustNotBe))
				.subscribe();
			waiting.dispose();
			other.close();
			await().until(() -> context.getBean(LocalLockEngine.class).size() == 0);
			assertThat(context.getBean(RecordedEvents.class).losses()).isEmpty();
		});
	}

	/** The lock is released, or left to its lease, whatever was under way. */
	@Test
	@Fault(124)
	void cancellingAtAnyMomentLeavesNothingAfterTheLease() {
		runWithLease("1s", CancelledSubscriptionTests::cancelAtAnyMoment);
		releasing().run(CancelledSubscriptionTests::cancelAtAnyMoment);
	}

	private static void cancelAtAnyMoment(AssertableApplicationContext context) {
		Orders orders = context.getBean(Orders.class);
		for (int i = 0; i < 500; i++) {
			cancelAfter(orders.mono(i, () -> Mono.delay(Duration.ofNanos(1)).thenReturn("x")).subscribe(), i * 1000L);
		}
		await().until(() -> context.getBean(LocalLockEngine.class).size() == 0);
	}

	private static void cancelAfter(Disposable client, long nanos) {
		spin(nanos);
		client.dispose();
	}

	private static void spin(long nanos) {
		long until = System.nanoTime() + nanos;
		while (System.nanoTime() < until) {
			Thread.onSpinWait();
		}
	}

	/** Whenever a client leaves, no second body begins before the first has ended. */
	@Test
	@Fault(124)
	void cancellingAtAnyMomentNeverRunsTwoBodies() {
		runWithLease("3s", (context) -> {
			AtomicInteger most = new AtomicInteger();
			List<CompletableFuture<String>> next = new ArrayList<>();
			for (int i = 0; i < 300; i++) {
				AtomicInteger inside = new AtomicInteger();
				Mono<String> mono = context.getBean(Orders.class).patientMono(i, () -> Mono.fromSupplier(() -> {
					most.accumulateAndGet(inside.incrementAndGet(), Math::max);
					spin(5_000_000);
					inside.decrementAndGet();
					return "paid";
				}).subscribeOn(Schedulers.boundedElastic()));
				cancelAfter(mono.subscribe(), i * 2000L);
				next.add(mono.toFuture());
			}
			for (CompletableFuture<String> result : next) {
				assertThat(result).succeedsWithin(Locked.SOON).isEqualTo("paid");
			}
			assertThat(most).hasValue(1);
		});
	}

	@Test
	@Fault(122)
	void retryAfterATimeLimitRunsAfterTheLease() {
		runWithLease("3s", (context) -> {
			StubbornBody body = new StubbornBody();
			Mono<String> mono = context.getBean(Orders.class).patientMono(1, () -> running(body));
			CompletableFuture<String> result = mono.timeout(body.whenBegun())
				.onErrorResume(TimeoutException.class, (late) -> mono)
				.toFuture();
			body.assertRetryRunsAfterIt(result, context.getBean(RecordedEvents.class));
		});
	}

	@Test
	@Fault(122)
	void impatientRetryFindsTheKeyBusy() {
		run((context) -> {
			StubbornBody body = new StubbornBody();
			AtomicInteger attempts = new AtomicInteger();
			CompletableFuture<String> result = context.getBean(Orders.class)
				.mono(1, () -> running(body))
				.timeout(Mono.defer(() -> (attempts.incrementAndGet() == 1) ? body.whenBegun() : Mono.never()))
				.retry(1)
				.toFuture();
			Locked.failure(result).isInstanceOf(LockBusyException.class);
			assertThat(body.calls()).isOne();
			body.end();
		});
	}

	/** As if a method returned after {@code Future.get} with a time limit. */
	@Test
	void workThatTheBodyItselfGaveUpIsNoPartOfTheBody() {
		run((context) -> {
			StubbornBody body = new StubbornBody();
			assertThat(context.getBean(Orders.class)
				.mono(1, () -> running(body).timeout(body.whenBegun(), Mono.just("later")))
				.block(Locked.SOON)).isEqualTo("later");
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isTrue();
			assertThat(context.getBean(RecordedEvents.class).losses()).isEmpty();
			body.end();
		});
	}

	@Test
	@Fault(124)
	void innerPublisherThatTheOuterBodyGaveUpKeepsItsKey() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Orders orders = context.getBean(Orders.class);
			StubbornBody body = new StubbornBody();
			assertThat(orders
				.mono(1, () -> orders.mono(2, () -> running(body)).timeout(body.whenBegun(), Mono.just("later")))
				.block(Locked.SOON)).isEqualTo("later");
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
			assertThat(Locked.isFree(locks, "order:2")).isFalse();
			await().untilAsserted(() -> assertThat(context.getBean(RecordedEvents.class).losses())
				.containsExactly(LossCause.CANCELLED));
			body.end();
		});
	}

	/** Both are one hold, so the outer publisher is notified too. */
	@Test
	@Fault(124)
	void reenteredKeyThatTheOuterBodyGaveUpStaysLocked() {
		run((context) -> {
			Orders orders = context.getBean(Orders.class);
			StubbornBody body = new StubbornBody();
			CompletableFuture<String> result = orders
				.mono(1, () -> orders.mono(1, () -> running(body)).timeout(body.whenBegun(), Mono.just("later")))
				.toFuture();
			Locked.failure(result).isInstanceOf(LockLostException.class);
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isFalse();
			body.end();
		});
	}

	@Test
	@Fault(124)
	void publisherThatEndsForALostLockLeavesItsKeyToTheLease() {
		Locked.runner(Orders.class, RecordedEvents.class)
			.withPropertyValues("leasehold.lease=10m", "leasehold.on-lost=interrupt")
			.run((context) -> {
				StubbornBody body = new StubbornBody();
				CompletableFuture<String> result = context.getBean(Orders.class)
					.mono(1, () -> running(body))
					.toFuture();
				body.awaitBegin();
				context.getBean(io.leasehold.service.LockService.class).cancelled(body.held());
				Locked.failure(result).isInstanceOf(LockLostException.class);
				assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isFalse();
				body.end();
			});
	}

	@Test
	void cancellationReleasesAtOnceWhereThatIsWanted() {
		releasing().run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Orders orders = context.getBean(Orders.class);
			Sinks.Empty<String> begun = Sinks.empty();
			Disposable client = orders
				.mono(1, () -> Mono.<String>never().doOnSubscribe((subscription) -> begun.tryEmitEmpty()))
				.subscribe();
			begun.asMono().block(Locked.SOON);
			assertThat(Locked.isFree(locks, "order:1")).isFalse();
			client.dispose();
			await().until(() -> Locked.isFree(locks, "order:1"));
			assertThat(orders.flux(1, Flux.range(1, 100)).take(3).collectList().block(Locked.SOON)).hasSize(3);
			await().until(() -> context.getBean(LocalLockEngine.class).size() == 0);
			assertThat(context.getBean(RecordedEvents.class).losses()).isEmpty();
		});
	}

	/** The refused value may be work that runs. */
	@Test
	void refusedValueNeverReleasesAtOnce() {
		releasing().run((context) -> {
			CompletableFuture<Object> result = context.getBean(Orders.class)
				.any(1, Mono.just(new CompletableFuture<String>()))
				.toFuture();
			Locked.failure(result).isInstanceOf(IllegalStateException.class);
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isFalse();
		});
	}

	/** Blocking work that notes its lock. */
	private static Mono<String> running(StubbornBody body) {
		return ReactiveLocks.current()
			.doOnNext(body::under)
			.then(Mono.fromSupplier(body).subscribeOn(Schedulers.boundedElastic()));
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		Locked.run(Orders.class, test);
	}

	private static void runWithLease(String lease, ContextConsumer<AssertableApplicationContext> test) {
		Locked.runner(Orders.class, RecordedEvents.class).withPropertyValues("leasehold.lease=" + lease).run(test);
	}

	private static ApplicationContextRunner releasing() {
		return Locked.runner(Orders.class, RecordedEvents.class)
			.withPropertyValues("leasehold.lease=10m", "leasehold.reactive.on-cancel=release");
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

		@DistributedLock(key = "'order:' + #id")
		public Mono<Object> any(int id, Mono<Object> body) {
			return body;
		}

		@DistributedLock(key = "'order:' + #id")
		public Flux<Integer> flux(int id, Flux<Integer> body) {
			return body;
		}

	}

}
