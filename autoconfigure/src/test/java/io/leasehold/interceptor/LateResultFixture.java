package io.leasehold.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.LockException;
import io.leasehold.LockKey;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.reactive.ReactiveLocks;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.FlowAdapters;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Methods with late results, and helpers for their tests.
 */
abstract class LateResultFixture {

	/** Test with leases that outlast the test, so that nothing is left to them. */
	static void run(ContextConsumer<AssertableApplicationContext> test) {
		runWithLease("10m", test);
	}

	static void runWithLease(String lease, ContextConsumer<AssertableApplicationContext> test) {
		Locked.runner(Orders.class).withPropertyValues("leasehold.lease=" + lease).run(test);
	}

	static org.assertj.core.api.AbstractThrowableAssert<?, ?> assertFailure(CompletableFuture<?> result) {
		AtomicReference<Throwable> failure = new AtomicReference<>();
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> result.get(30, TimeUnit.SECONDS))
			.satisfies((ex) -> failure.set((ex instanceof ExecutionException) ? ex.getCause() : ex));
		return assertThat(failure.get());
	}

	static void lose(AssertableApplicationContext context, HeldLock held) {
		context.getBean(LocalLockEngine.class).lose(new LockKey(held.key()));
		await().until(() -> !held.isValid());
	}

	static <T> CompletableFuture<T> mustNotRun() {
		throw new AssertionError("The body ran without its lock");
	}

	static String mustNotBe() {
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

}
