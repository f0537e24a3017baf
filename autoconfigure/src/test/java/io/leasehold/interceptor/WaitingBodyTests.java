package io.leasehold.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.LossCause;
import io.leasehold.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for bodies whose thread sends the last signal and then waits until the consumer
 * has received the result. The consumer receives it nevertheless.
 */
class WaitingBodyTests {

	@Test
	void valueReachesTheConsumerForWhichItsThreadWaits() {
		run((context, body) -> context.getBean(Orders.class).mono(() -> Mono.<String>create((sink) -> {
			sink.success("paid");
			body.get();
		}).subscribeOn(Schedulers.boundedElastic())).toFuture());
	}

	@Test
	void completionReachesTheConsumerForWhichItsThreadWaits() {
		run((context, body) -> context.getBean(Orders.class).flux(() -> Flux.<String>create((sink) -> {
			sink.next("paid");
			sink.complete();
			body.get();
		}).subscribeOn(Schedulers.boundedElastic())).last().toFuture());
	}

	private static void run(Subscription subscription) {
		Locked.run(Orders.class, (context) -> {
			StubbornBody body = new StubbornBody();
			CompletableFuture<String> result = subscription.subscribe(context, body);
			assertThat(result.get(Locked.SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("paid");
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThat(Locked.isFree(locks, "order")).as("free while its thread waits").isFalse();
			body.end();
			await().until(() -> Locked.isFree(locks, "order"));
			await().untilAsserted(() -> assertThat(context.getBean(RecordedEvents.class).losses())
				.isEqualTo(List.of(LossCause.CANCELLED)));
		});
	}

	private interface Subscription {

		CompletableFuture<String> subscribe(AssertableApplicationContext context, StubbornBody body);

	}

	static class Orders {

		@DistributedLock(key = "'order'")
		public Mono<String> mono(Supplier<Mono<String>> body) {
			return body.get();
		}

		@DistributedLock(key = "'order'")
		public Flux<String> flux(Supplier<Flux<String>> body) {
			return body.get();
		}

	}

}
