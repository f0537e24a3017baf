package io.leasehold.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.Scannable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ActiveChain}: whether a subscription is known to end when it is
 * cancelled, and whether it may subscribe to more.
 */
class ActiveChainTests {

	@Test
	void onlyListedOperatorsAreKnownToEnd() {
		Mono<Long> timer = Mono.delay(Duration.ofHours(1));
		Mono<Long> future = Mono.fromFuture(new CompletableFuture<>());
		for (Mono<Long> foreign : List.of(future, Sinks.<Long>one().asMono(), Mono.<Long>create((sink) -> {
		}), timer.cache(), Mono.<Long>from((subscriber) -> {
		}))) {
			for (Mono<Long> chain : around(foreign, timer)) {
				assertThat(activeChain(chain).known()).as("%s", chain).isFalse();
			}
		}
		for (Mono<Long> chain : List.of(timer, timer.map((tick) -> tick).filter((tick) -> true),
				Mono.zip(timer, timer).map((both) -> 1L), timer.switchIfEmpty(future), timer.thenReturn(1L),
				Mono.just(1).flatMap((order) -> timer), timer.contextWrite((context) -> context.put("a", "b")))) {
			assertThat(activeChain(chain).known()).as("%s", chain).isTrue();
		}
	}

	private static List<Mono<Long>> around(Mono<Long> inner, Mono<Long> timer) {
		return List.of(inner, inner.map((value) -> value), inner.filter((value) -> true), inner.doOnNext((value) -> {
		}), inner.publishOn(Schedulers.parallel()), inner.delayElement(Duration.ofHours(1)),
				Mono.zip(inner, timer).map((both) -> 1L), Mono.when(inner, timer).thenReturn(1L),
				Mono.empty().then(inner), Mono.<Long>empty().switchIfEmpty(inner),
				Mono.<Long>error(new IllegalStateException()).onErrorResume((failure) -> inner),
				Mono.just(1).hide().flatMap((order) -> inner), Flux.merge(inner, timer).next(),
				Flux.concat(Mono.just(1L), inner).last(), Flux.range(1, 2).concatMap((order) -> inner).next(),
				inner.retry(1), inner.repeat(1).next(), inner.flux().collectList().map((all) -> 1L),
				inner.timeout(Duration.ofHours(1)), Flux.range(1, 3).hide().flatMap((order) -> inner).next(),
				Mono.usingWhen(timer.map((tick) -> 1).timeout(Duration.ofHours(1)), (order) -> inner,
						(order) -> Mono.empty()));
	}

	private static ActiveChain activeChain(Mono<Long> chain) {
		AtomicReference<Subscription> subscription = new AtomicReference<>();
		chain.subscribe(new BaseSubscriber<Long>() {

			@Override
			protected void hookOnSubscribe(Subscription upstream) {
				subscription.set(upstream);
				upstream.request(Long.MAX_VALUE);
			}

		});
		return ActiveChain.of(subscription.get());
	}

	@Test
	void chainOfOneSourceDoesNotGrow() {
		Mono<Long> timer = Mono.delay(Duration.ofHours(1));
		for (Mono<Long> chain : List.of(timer, timer.map((tick) -> tick).filter((tick) -> true), Mono.<Long>never(),
				timer.contextWrite((context) -> context.put("a", "b")), timer.publishOn(Schedulers.parallel()),
				Mono.just(1L).delayElement(Duration.ofHours(1)))) {
			assertThat(activeChain(chain)).as("%s", chain).isEqualTo(new ActiveChain(true, false));
		}
	}

	@Test
	void chainThatMaySubscribeToMoreGrows() {
		Mono<Long> timer = Mono.delay(Duration.ofHours(1));
		for (Mono<Long> chain : List.of(Mono.zip(timer, timer).map((both) -> 1L), timer.switchIfEmpty(Mono.never()),
				timer.thenReturn(1L), Mono.just(1).hide().flatMap((order) -> timer), timer.retry(1),
				timer.repeat(1).next(), Flux.merge(timer, timer).next(), Mono.when(timer, timer).thenReturn(1L),
				Flux.concat(timer, timer).next(), Mono.<Long>empty().switchIfEmpty(timer),
				Mono.<Long>error(new IllegalStateException()).onErrorResume((failure) -> timer),
				Flux.range(1, 3).hide().flatMap((order) -> timer).next(),
				Mono.zip(timer.thenReturn(1L), timer).map((both) -> 1L).filter((one) -> true))) {
			assertThat(activeChain(chain)).as("%s", chain).isEqualTo(new ActiveChain(true, true));
		}
	}

	/** The work of a stage may go on in any thread, also after the stage. */
	@Test
	void completedStageIsUnknown() {
		Mono<Integer> stage = Mono.fromFuture(CompletableFuture.completedFuture(1));
		assertThat(activeChain(stage.flatMap((one) -> Mono.delay(Duration.ofHours(1)))).known()).isFalse();
	}

	/** Only Reactor's classes are known to show all of their sources. */
	@Test
	void subscriptionOfAnotherLibraryIsUnknown() {
		assertThat(ActiveChain.of(null).known()).isFalse();
		assertThat(ActiveChain.of(new Object()).known()).isFalse();
		assertThat(ActiveChain.of((Scannable) (key) -> null).known()).isFalse();
	}

}
