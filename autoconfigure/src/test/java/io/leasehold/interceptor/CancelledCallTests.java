package io.leasehold.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.DistributedLocks;
import io.leasehold.LockBusyException;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Calls that a publisher gave up before they returned.
 */
class CancelledCallTests extends CancelledBodyFixture {

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
				.mono(1, () -> Mono.fromSupplier(body).subscribeOn(Schedulers.boundedElastic()))
				.timeout(Mono.defer(() -> (attempts.incrementAndGet() == 1) ? body.whenBegun() : Mono.never()))
				.retry(1)
				.toFuture();
			Locked.failure(result).isInstanceOf(LockBusyException.class);
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
			Mono<String> call = Mono.defer(() -> {
				Thread subscribing = Thread.currentThread();
				return Mono.fromFuture(body::inAnotherThread)
					.timeout(body.whenBegun().doOnNext((begun) -> awaitReturn(subscribing)), Mono.just("later"));
			});
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
				Locked.failure(result).isInstanceOf(LockLostException.class);
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

}
