package io.leasehold.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a body that subscribes to another annotated method. The work of the inner
 * body is part of the outer body.
 */
class NestedSubscriptionTests {

	private static final String OUTER = "order:1";

	private static final String INNER = "order:2";

	@Test
	@Fault(124)
	void innerCallThatTheOuterBodyGaveUpKeepsBothKeys() {
		keepsTheOuterKey((orders, body) -> orders.mono(2,
				() -> Mono.fromSupplier(body).subscribeOn(Schedulers.boundedElastic())));
	}

	@Test
	@Fault(124)
	void innerCallThatIsSubscribedToApartKeepsBothKeys() {
		keepsTheOuterKey((orders, body) -> Mono.fromSupplier(
				() -> orders.mono(2, () -> Mono.fromSupplier(body).subscribeOn(Schedulers.boundedElastic())).block())
			.subscribeOn(Schedulers.boundedElastic()));
	}

	@Test
	@Fault(124)
	void innerCallOfAnUndeclaredTypeKeepsBothKeys() {
		keepsTheOuterKey((orders, body) -> ((Mono<?>) orders.object(2,
				() -> Mono.fromSupplier(body).subscribeOn(Schedulers.boundedElastic())))
			.cast(String.class));
	}

	@Test
	@Fault(124)
	void stepBehindAnInnerResultKeepsTheOuterKey() {
		keepsTheOuterKey(
				(orders, body) -> orders.mono(2, () -> Mono.just("order").publishOn(Schedulers.boundedElastic()))
					.map((order) -> body.get()));
	}

	@Test
	@Fault(124)
	void stepBehindAnInnerElementKeepsTheOuterKey() {
		keepsTheOuterKey((orders, body) -> orders.flux(2, Flux.just(1, 2).publishOn(Schedulers.boundedElastic()))
			.map((order) -> body.get())
			.next());
	}

	@Test
	@Fault(124)
	void stepBehindAnInnerFailureKeepsTheOuterKey() {
		keepsTheOuterKey((orders, body) -> orders
			.mono(2, () -> Mono.<String>error(new IllegalStateException("no")).subscribeOn(Schedulers.boundedElastic()))
			.onErrorResume((failure) -> Mono.fromSupplier(body)));
	}

	/** A thread of the library, which ends the wait, runs the inner body. */
	@Test
	@Fault(124)
	void innerCallThatHadToWaitKeepsBothKeys() {
		keepsTheOuterKey((orders, body) -> {
			HeldLock busy = orders.locks().acquireAsync(INNER).join();
			return orders.patientMono(2, () -> Mono.fromSupplier(body))
				.doOnSubscribe((subscription) -> Locked.execute(() -> {
					await().until(() -> orders.events().isAwaited());
					busy.close();
				}));
		});
	}

	@Test
	@Fault(124)
	void fallbackAfterAnInnerWaitKeepsTheOuterKey() {
		keepsTheOuterKey((orders, body) -> {
			HeldLock busy = orders.locks().acquireAsync(INNER).join();
			return orders.impatientMono(2, body).doFinally((end) -> busy.close());
		});
	}

	/** Nobody knows when its work ends. */
	@Test
	@Fault(124)
	void innerCallThatReactorDoesNotSeeLeavesBothKeysToTheirLeases() {
		run((context) -> {
			Orders orders = context.getBean(Orders.class);
			StubbornBody body = new StubbornBody();
			Mono<String> inner = orders.mono(2, () -> Mono.fromFuture(body::inAnotherThread));
			assertThat(orders
				.mono(1, () -> ReactiveLocks.current()
					.doOnNext(body::under)
					.then(inner.timeout(body.whenBegun(), Mono.just("later"))))
				.block(Locked.SOON)).isEqualTo("later");
			assertThat(body.held().isValid()).isFalse();
			body.end();
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThat(Locked.isFree(locks, OUTER)).isFalse();
			assertThat(Locked.isFree(locks, INNER)).isFalse();
		});
	}

	/** Without other threads in a body that ends: they could be slow to leave it. */
	@Test
	void nestedResultsLeaveNothing() {
		run((context) -> {
			Orders orders = context.getBean(Orders.class);
			Mono<String> paid = Mono.just("paid");
			for (Mono<String> inner : List.of(orders.mono(2, () -> paid),
					orders.mono(2, () -> alone(paid.publishOn(Schedulers.boundedElastic()))),
					orders.mono(1, () -> alone(paid.subscribeOn(Schedulers.boundedElastic()))),
					orders
						.flux(2, Flux.range(1, 100)
							.publishOn(Schedulers.parallel())
							.doOnComplete(CancelledBodyFixture::awaitOthers))
						.flatMap((element) -> orders.mono(element + 2, () -> paid))
						.last())) {
				assertThat(orders.mono(1, () -> alone(inner)).block(Locked.SOON)).isEqualTo("paid");
				await().until(() -> context.getBean(LocalLockEngine.class).size() == 0);
			}
			assertThat(context.getBean(RecordedEvents.class).losses()).isEmpty();
		});
	}

	private static Mono<String> alone(Mono<String> body) {
		return body.doOnNext((value) -> CancelledBodyFixture.awaitOthers());
	}

	/**
	 * The outer body gives up a call once it runs, and ends.
	 */
	private static void keepsTheOuterKey(BiFunction<Orders, StubbornBody, Mono<String>> inner) {
		run((context) -> {
			Orders orders = context.getBean(Orders.class);
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			StubbornBody body = new StubbornBody();
			CompletableFuture<String> result = orders
				.mono(1, () -> ReactiveLocks.current()
					.doOnNext(body::under)
					.then(Mono.defer(() -> inner.apply(orders, body)).timeout(body.whenBegun(), Mono.just("later"))))
				.toFuture();
			assertThat(result.get(Locked.SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("later");
			assertThat(body.held().isValid()).as("valid when the result is there").isFalse();
			assertThat(Locked.isFree(locks, OUTER)).as("free while its call runs").isFalse();
			body.end();
			await().until(() -> Locked.isFree(locks, OUTER) && Locked.isFree(locks, INNER));
		});
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		Locked.run(Orders.class, test);
	}

	static class Orders {

		private final DistributedLocks locks;

		private final RecordedEvents events;

		Orders(DistributedLocks locks, RecordedEvents events) {
			this.locks = locks;
			this.events = events;
		}

		public DistributedLocks locks() {
			return this.locks;
		}

		public RecordedEvents events() {
			return this.events;
		}

		@DistributedLock(key = "'order:' + #id")
		public Mono<String> mono(int id, Supplier<Mono<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id", waitTime = "60s")
		public Mono<String> patientMono(int id, Supplier<Mono<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id", waitTime = "10ms", fallback = "busy")
		public Mono<String> impatientMono(int id, Supplier<String> body) {
			return Mono.never();
		}

		Mono<String> busy(int id, Supplier<String> body) {
			return Mono.fromSupplier(body);
		}

		@DistributedLock(key = "'order:' + #id")
		public Object object(int id, Supplier<Mono<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id")
		public Flux<Integer> flux(int id, Flux<Integer> body) {
			return body;
		}

	}

}
