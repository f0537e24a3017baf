package io.leasehold.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.service.LockService;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for the ways in which a publisher fails under a valid or a lost lock. A lease
 * outlasts each test.
 */
class PublisherOutcomeTests {

	@Test
	void lossJoinsTheFailureOfThePublisher() {
		run((context) -> {
			IllegalStateException failure = new IllegalStateException("no");
			CompletableFuture<String> result = begin(context, new CompletableFuture<>(), Mono.defer(() -> {
				context.getBean(LocalLockEngine.class).lose(new LockKey("order"));
				return Mono.error(failure);
			}));
			assertThat(failureOf(result)).isSameAs(failure);
			assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
		});
	}

	@Test
	void failureUnderAValidLockStaysAlone() {
		run((context) -> {
			IllegalStateException failure = new IllegalStateException("no");
			assertThat(failureOf(begin(context, new CompletableFuture<>(), Mono.error(failure)))).isSameAs(failure);
			assertThat(failure.getSuppressed()).isEmpty();
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order")).isTrue();
		});
	}

	/** Its own exception and that of closing the lock report the same. */
	@Test
	void lossThatTheBodyNoticesIsThrown() {
		run((context) -> {
			Sinks.One<String> body = Sinks.one();
			CompletableFuture<HeldLock> held = new CompletableFuture<>();
			CompletableFuture<String> result = begin(context, held,
					body.asMono().doOnNext((value) -> held.join().throwIfLost()));
			context.getBean(LockService.class).cancelled(held.get(30, TimeUnit.SECONDS));
			body.tryEmitValue("paid");
			assertThat(failureOf(result)).isInstanceOf(LockLostException.class);
		});
	}

	/** Reactor reports a failed release by a plain exception with a cause, too. */
	@Test
	void exceptionOfTheBodyIsNotReplacedByTheLossThatCausedIt() {
		run((context) -> {
			RuntimeException failure = new RuntimeException("no",
					new LockLostException(new LockKey("other"), "local", LossCause.EXPIRED));
			assertThat(failureOf(begin(context, new CompletableFuture<>(), Mono.error(failure)))).isSameAs(failure);
		});
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		Locked.runner(Orders.class).withPropertyValues("leasehold.lease=10m").run(test);
	}

	private static CompletableFuture<String> begin(AssertableApplicationContext context,
			CompletableFuture<HeldLock> held, Mono<String> body) {
		return context.getBean(Orders.class)
			.mono(() -> ReactiveLocks.current().doOnNext(held::complete).then(body))
			.toFuture();
	}

	private static Throwable failureOf(CompletableFuture<String> result) {
		return catchThrowable(() -> result.get(30, TimeUnit.SECONDS)).getCause();
	}

	static class Orders {

		@DistributedLock(key = "'order'")
		public Mono<String> mono(Supplier<Mono<String>> body) {
			return body.get();
		}

	}

}
