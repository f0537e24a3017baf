package io.leasehold.interceptor;

import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.leasehold.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Errors in the evaluation of a key, which reach the caller as those of the method do.
 */
class ErrorOfTheKeyTests {

	@Test
	void errorIsThrownOrFailsTheResult() {
		Locked.runner(Orders.class).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			for (Error error : List.of(new AssertionError("no"), new StackOverflowError("no"),
					new NoClassDefFoundError("no"))) {
				List<String> ids = failing(error);
				assertThat(catchThrowable(() -> orders.plain(ids))).isSameAs(error);
				assertThat(catchThrowable(() -> orders.any(ids))).isSameAs(error);
				assertFailure(orders.future(ids), error);
				assertFailure(orders.stage(ids), error);
				assertFailure(orders.mono(ids).toFuture(), error);
				assertFailure(orders.flux(ids).then().toFuture(), error);
			}
		});
	}

	private static void assertFailure(CompletionStage<?> result, Error error) {
		assertThat(result.toCompletableFuture()).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.havingCause()
			.isSameAs(error);
	}

	private static List<String> failing(Error error) {
		return new AbstractList<>() {

			@Override
			public String get(int index) {
				throw error;
			}

			@Override
			public int size() {
				return 1;
			}

		};
	}

	static class Orders {

		@DistributedLock(key = "#ids")
		public String plain(List<String> ids) {
			return "ran";
		}

		@DistributedLock(key = "#ids")
		public Object any(List<String> ids) {
			return "ran";
		}

		@DistributedLock(key = "#ids")
		public CompletableFuture<String> future(List<String> ids) {
			return CompletableFuture.completedFuture("ran");
		}

		@DistributedLock(key = "#ids")
		public CompletionStage<String> stage(List<String> ids) {
			return CompletableFuture.completedStage("ran");
		}

		@DistributedLock(key = "#ids")
		public Mono<String> mono(List<String> ids) {
			return Mono.just("ran");
		}

		@DistributedLock(key = "#ids")
		public Flux<String> flux(List<String> ids) {
			return Flux.just("ran");
		}

	}

}
