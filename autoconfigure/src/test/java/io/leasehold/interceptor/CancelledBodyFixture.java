package io.leasehold.interceptor;

import java.util.Arrays;
import java.util.function.Supplier;

import io.leasehold.annotation.DistributedLock;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

import static org.awaitility.Awaitility.await;

/**
 * Publishers whose cancellation the test observes.
 */
abstract class CancelledBodyFixture {

	/** Wait until another thread has left the body to which it subscribed. */
	static void awaitReturn(Thread subscribing) {
		if (subscribing != Thread.currentThread()) {
			await().until(() -> isOutside(subscribing.getStackTrace()));
		}
	}

	/** Wait until no other thread runs a part of a body. */
	static void awaitOthers() {
		Thread here = Thread.currentThread();
		await().until(() -> Thread.getAllStackTraces()
			.entrySet()
			.stream()
			.allMatch((thread) -> thread.getKey() == here || isOutside(thread.getValue())));
	}

	private static boolean isOutside(StackTraceElement[] stack) {
		return Arrays.stream(stack).noneMatch((frame) -> frame.getClassName().equals(Segments.class.getName()));
	}

	static void run(ContextConsumer<AssertableApplicationContext> test) {
		Locked.run(Orders.class, test);
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
