package io.leasehold.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockKeyException;
import io.leasehold.LockLostException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.interceptor.LockInterceptorFixture.Recorder;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.reactivestreams.FlowAdapters;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Locks of methods that return a publisher.
 */
@Fault(85)
class LatePublisherTests extends LateResultFixture {

	private static final Duration SOON = Duration.ofMinutes(1);

	@Test
	void monoTakesItsLockWhenItIsSubscribedTo() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Sinks.One<String> body = Sinks.one();
			AtomicInteger calls = new AtomicInteger();
			CompletableFuture<Boolean> subscribing = new CompletableFuture<>();
			Mono<String> mono = context.getBean(Orders.class).mono(1, () -> {
				calls.incrementAndGet();
				subscribing.complete(true);
				return body.asMono();
			});
			assertThat(calls).hasValue(0);
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
			CompletableFuture<String> result = mono.toFuture();
			subscribing.get(SOON.toSeconds(), TimeUnit.SECONDS);
			assertThat(calls).hasValue(1);
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
			CompletableFuture<Boolean> subscribing = new CompletableFuture<>();
			CompletableFuture<List<Integer>> result = context.getBean(Orders.class).flux(1, () -> {
				subscribing.complete(true);
				return body.asFlux();
			}).collectList().toFuture();
			subscribing.get(SOON.toSeconds(), TimeUnit.SECONDS);
			body.tryEmitNext(1);
			body.tryEmitNext(2);
			assertThat(Locked.isFree(locks, "order:1")).isFalse();
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
		runWithLease("1500ms", (context) -> {
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
			CompletableFuture<Boolean> subscribing = new CompletableFuture<>();
			Mono<String> subscribed = body.asMono().doOnSubscribe((subscription) -> subscribing.complete(true));
			CompletableFuture<String> result = context.getBean(Orders.class)
				.all(List.of("b", "a"), subscribed)
				.toFuture();
			// Before, this test could take a key that the publisher requests without a
			// wait
			subscribing.get(SOON.toSeconds(), TimeUnit.SECONDS);
			assertThat(Locked.isFree(locks, "a")).isFalse();
			assertThat(Locked.isFree(locks, "b")).isFalse();
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

}
