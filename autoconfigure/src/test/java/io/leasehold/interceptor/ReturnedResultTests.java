package io.leasehold.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;

/**
 * Tests for methods whose declaration does not show when their result is there: what they
 * return decides how long the lock is held.
 */
class ReturnedResultTests {

	private static final Duration SOON = Duration.ofMinutes(1);

	@Test
	@Fault(125)
	void futureOfAMethodThatReturnsAnyObjectIsHeldUntilItEnds() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			CompletableFuture<String> body = new CompletableFuture<>();
			CompletableFuture<?> result = (CompletableFuture<?>) context.getBean(Orders.class).any(1, () -> body);
			assertThat(Locked.isFree(locks, "order:1")).as("free while its future runs").isFalse();
			body.complete("paid");
			assertThat(result.get()).isEqualTo("paid");
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
			assertThat(context.getBean(Orders.class).any(1, () -> "plain")).isEqualTo("plain");
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
		});
	}

	@Test
	@Fault(125)
	void publisherOfAMethodThatReturnsAnyObjectIsHeldUntilItEnds() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Sinks.One<String> body = Sinks.one();
			Mono<?> mono = (Mono<?>) context.getBean(Orders.class).any(1, body::asMono);
			assertThat(Locked.isFree(locks, "order:1")).as("free before its publisher ran").isFalse();
			CompletableFuture<?> result = mono.toFuture();
			assertThat(Locked.isFree(locks, "order:1")).as("free while its publisher runs").isFalse();
			body.tryEmitValue("paid");
			assertThat(result.get()).isEqualTo("paid");
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
			assertThatIllegalStateException().isThrownBy(() -> mono.block(SOON))
				.withMessageContaining("subscribed to twice")
				.withMessageContaining("Orders.any");
			Flux<?> flux = (Flux<?>) context.getBean(Orders.class).any(1, () -> Flux.just(1, 2));
			assertThat(flux.collectList().block(SOON)).hasSize(2);
			assertThat(Locked.isFree(locks, "order:1")).isTrue();
		});
	}

	/** Its work may have begun, so its key is left to its lease. */
	@Test
	@Fault(125)
	void resultThatCannotBeFollowedIsRefused() {
		run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			int id = 2;
			for (Object late : List.of((Callable<String>) () -> "x", new WebAsyncTask<>(() -> "x"),
					(StreamingResponseBody) (out) -> out.write(1), new FutureTask<>(() -> "x"), new DeferredResult<>(),
					new SseEmitter())) {
				int next = id++;
				assertThatIllegalStateException().isThrownBy(() -> context.getBean(Orders.class).any(next, () -> late))
					.withMessageContaining("Orders.any")
					.withMessageContaining(late.getClass().getSimpleName());
				assertThat(Locked.isFree(locks, "order:" + next)).isFalse();
			}
		});
	}

	/** Content that is loaded from elsewhere, or that another thread changes. */
	@Test
	@Fault(125)
	void onlyContentInMemoryIsRead() {
		run((context) -> {
			Collection<?> remote = mock(Collection.class);
			assertThat(context.getBean(Orders.class).any(1, () -> remote)).isSameAs(remote);
			verifyNoInteractions(remote);
			List<Object> changing = new ArrayList<>() {

				@Override
				public Iterator<Object> iterator() {
					throw new ConcurrentModificationException();
				}

			};
			assertThat(context.getBean(Orders.class).any(1, () -> changing)).isSameAs(changing);
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isTrue();
		});
	}

	@Test
	@Fault(125)
	void failureOfAMethodThatReturnsAnyObjectReleasesItsLock() {
		run((context) -> {
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Orders.class).any(1, () -> {
				throw new IllegalStateException("no");
			})).withMessage("no");
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isTrue();
		});
	}

	static Stream<Arguments> unfollowed() {
		return Stream.of(Arguments.of(WebCallable.class, "WebCallable.run", "returns Callable"),
				Arguments.of(WebDeferred.class, "WebDeferred.run", "returns DeferredResult"),
				Arguments.of(WebTask.class, "WebTask.run", "returns WebAsyncTask"),
				Arguments.of(WebStream.class, "WebStream.run", "returns a ResponseEntity with a StreamingResponseBody"),
				Arguments.of(WebEmitter.class, "WebEmitter.run", "returns SseEmitter"),
				Arguments.of(ManyFutures.class, "ManyFutures.run", "returns a List with a CompletableFuture"),
				Arguments.of(StreamedBody.class, "StreamedBody.run", "returns a Mono with a Flux"));
	}

	@ParameterizedTest
	@Fault(126)
	@MethodSource("unfollowed")
	void resultThatCannotBeFollowedFailsStartup(Class<?> bean, String method, String problem) {
		Locked.runner(bean)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining(method)
				.hasMessageContaining(problem)
				.hasMessageContaining("Return a CompletionStage"));
	}

	/** The user chose its executor, for its context and its size. */
	@Test
	@Fault(127)
	void asyncMethodRunsInTheThreadOfItsOwnExecutor() {
		Locked.runner(Asynchronous.class, Jobs.class).run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			CompletableFuture<String> body = new CompletableFuture<>();
			AtomicReference<String> thread = new AtomicReference<>();
			CompletableFuture<String> result = context.getBean(Jobs.class).run(() -> {
				assertThat(HeldLock.current().key()).isEqualTo("job");
				thread.set(Thread.currentThread().getName());
				return body;
			});
			await().atMost(SOON).until(() -> thread.get() != null);
			assertThat(thread.get()).startsWith("mine-");
			assertThat(Locked.isFree(locks, "job")).isFalse();
			body.complete("done");
			assertThat(result.get()).isEqualTo("done");
			assertThat(Locked.isFree(locks, "job")).isTrue();
		});
	}

	private static void run(ContextConsumer<AssertableApplicationContext> test) {
		Locked.runner(Orders.class).withPropertyValues("leasehold.lease=10m").run(test);
	}

	static class Orders {

		@DistributedLock(key = "'order:' + #id")
		public Object any(int id, Supplier<Object> body) {
			return body.get();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchronous {

		@Bean
		AsyncTaskExecutor taskExecutor() {
			return new SimpleAsyncTaskExecutor("mine-");
		}

	}

	static class Jobs {

		@Async
		@DistributedLock(key = "'job'")
		public CompletableFuture<String> run(Supplier<CompletableFuture<String>> body) {
			return body.get();
		}

	}

	static class WebCallable {

		@DistributedLock(key = "'k'")
		public @Nullable Callable<String> run() {
			return null;
		}

	}

	static class WebDeferred {

		@DistributedLock(key = "'k'")
		public @Nullable DeferredResult<String> run() {
			return null;
		}

	}

	static class WebTask {

		@DistributedLock(key = "'k'")
		public @Nullable WebAsyncTask<String> run() {
			return null;
		}

	}

	static class WebStream {

		@DistributedLock(key = "'k'")
		public @Nullable ResponseEntity<StreamingResponseBody> run() {
			return null;
		}

	}

	static class WebEmitter {

		@DistributedLock(key = "'k'")
		public @Nullable SseEmitter run() {
			return null;
		}

	}

	static class ManyFutures {

		@DistributedLock(key = "'k'")
		public @Nullable List<CompletableFuture<String>> run() {
			return null;
		}

	}

	static class StreamedBody {

		@DistributedLock(key = "'k'")
		public @Nullable Mono<ResponseEntity<Flux<String>>> run() {
			return null;
		}

	}

}
