package io.leasehold.interceptor;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.test.contract.Fault;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for aspects inside the lock that bind annotations and arguments, for each kind of
 * result: they are called in the thread that continues the call.
 */
@Fault(170)
class AspectInsideLockTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	@ParameterizedTest
	@MethodSource("calls")
	void aspectBindsAnnotationAndArgument(Function<Shop, Object> call) {
		Locked.runner(Asynchronous.class, Limits.class, Shop.class)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.run((context) -> {
				Shop shop = context.getBean(Shop.class);
				assertThat(call.apply(shop)).isEqualTo("order:7");
				assertThat(context.getBean(Limits.class).seen).isEqualTo("5s of 7");
			});
	}

	static Stream<Arguments> calls() {
		return Stream.of(call("plain", (shop) -> shop.plain(7)),
				call("stage", (shop) -> shop.stage(7).toCompletableFuture().orTimeout(1, TimeUnit.MINUTES).join()),
				call("asynchronous", (shop) -> shop.asynchronous(7).orTimeout(1, TimeUnit.MINUTES).join()),
				call("mono", (shop) -> shop.mono(7).block(PATIENCE)),
				call("mono in another thread",
						(shop) -> shop.mono(7).subscribeOn(Schedulers.boundedElastic()).block(PATIENCE)),
				call("flux", (shop) -> shop.flux(7).subscribeOn(Schedulers.single()).blockLast(PATIENCE)));
	}

	private static Arguments call(String name, Function<Shop, Object> call) {
		return Arguments.of(Named.of(name, call));
	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Limit {

		String value();

	}

	@Aspect
	static class Limits {

		volatile String seen = "nothing";

		@Around("@annotation(limit) && args(id)")
		public Object around(ProceedingJoinPoint call, Limit limit, long id) throws Throwable {
			this.seen = "%s of %d".formatted(limit.value(), id);
			return call.proceed();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchronous {

	}

	static class Shop {

		@Limit("5s")
		@DistributedLock(key = "'order:' + #id")
		public String plain(long id) {
			return "order:" + id;
		}

		@Limit("5s")
		@DistributedLock(key = "'order:' + #id")
		public CompletionStage<String> stage(long id) {
			return CompletableFuture.supplyAsync(() -> "order:" + id);
		}

		@Async
		@Limit("5s")
		@DistributedLock(key = "'order:' + #id")
		public CompletableFuture<String> asynchronous(long id) {
			return CompletableFuture.completedFuture("order:" + id);
		}

		@Limit("5s")
		@DistributedLock(key = "'order:' + #id")
		public Mono<String> mono(long id) {
			return Mono.just("order:" + id);
		}

		@Limit("5s")
		@DistributedLock(key = "'order:' + #id")
		public Flux<String> flux(long id) {
			return Flux.just("first", "order:" + id);
		}

	}

}
