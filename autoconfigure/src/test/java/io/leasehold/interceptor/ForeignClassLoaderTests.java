package io.leasehold.interceptor;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.reactive.ReactiveLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls in threads whose context class loader does not know the application, as those of
 * the common pool in an executable jar.
 */
class ForeignClassLoaderTests {

	private static final String NAMES = "T(io.leasehold.interceptor.ForeignClassLoaderTests$Names)";

	/** The first call reads the annotation, also in such a thread. */
	@ParameterizedTest
	@EnumSource
	void callsAcquireTheSameKeyAsInOtherThreads(Call call) {
		for (boolean foreign : new boolean[] { true, false }) {
			Locked.runner(Orders.class)
				.withBean("names", Names.class)
				.withPropertyValues("names.prefix=k")
				.run((context) -> assertThat(
						in(foreign ? foreign() : loader(), () -> call.action.apply(context.getBean(Orders.class))))
					.isEqualTo("k1"));
		}
	}

	@Test
	void fallbackIsFound() {
		Locked.runner(Orders.class)
			.withBean("names", Names.class)
			.withPropertyValues("names.prefix=k")
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "k1",
					() -> assertThat(in(foreign(), () -> context.getBean(Orders.class).falling(1)))
						.isEqualTo("LockBusyException")));
	}

	private static ClassLoader foreign() {
		return new ClassLoader(null) {
		};
	}

	private static ClassLoader loader() {
		return ForeignClassLoaderTests.class.getClassLoader();
	}

	private static Object in(ClassLoader loader, java.util.concurrent.Callable<Object> action) throws Exception {
		CompletableFuture<Object> result = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				result.complete(action.call());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		thread.setContextClassLoader(loader);
		thread.start();
		return result.get(1, TimeUnit.MINUTES);
	}

	enum Call {

		PLAIN((orders) -> orders.plain(1)), STAGE((orders) -> orders.stage(1).join()),
		MONO((orders) -> orders.mono(1).block()), FLUX((orders) -> orders.flux(1).blockLast()),
		CONDITION((orders) -> orders.conditionally(1)), BEAN((orders) -> orders.byBean(1)),
		PLACEHOLDER((orders) -> orders.byPlaceholder(1)), ATTRIBUTES((orders) -> orders.attributes(1)),
		SEVERAL((orders) -> orders.several(1)), LEFT((orders) -> orders.falling(1)),
		COMMON_POOL((orders) -> CompletableFuture.supplyAsync(() -> orders.plain(1)).join()),
		PARALLEL_STREAM((orders) -> Arrays.asList(1, 1)
			.parallelStream()
			.map((id) -> "k1")
			.reduce((first, second) -> orders.plain(1))
			.orElseThrow());

		private final Function<Orders, Object> action;

		Call(Function<Orders, Object> action) {
			this.action = action;
		}

	}

	public static class Names {

		public static String of(int id) {
			return "k" + id;
		}

		public String beanOf(int id) {
			return "k" + id;
		}

	}

	@Lazy
	static class Orders {

		@DistributedLock(key = NAMES + ".of(#id)")
		public String plain(int id) {
			return HeldLock.current().key();
		}

		@DistributedLock(key = NAMES + ".of(#id)")
		public CompletableFuture<String> stage(int id) {
			return CompletableFuture.completedFuture(HeldLock.current().key());
		}

		@DistributedLock(key = NAMES + ".of(#id)")
		public Mono<String> mono(int id) {
			return ReactiveLocks.current().map(HeldLock::key);
		}

		@DistributedLock(key = NAMES + ".of(#id)")
		public Flux<String> flux(int id) {
			return ReactiveLocks.current().map(HeldLock::key).flux();
		}

		@DistributedLock(key = "'k' + #id", condition = NAMES + ".of(#id) == 'k1'")
		public String conditionally(int id) {
			return HeldLock.current().key();
		}

		@DistributedLock(key = "@names.beanOf(#id)")
		public String byBean(int id) {
			return HeldLock.current().key();
		}

		@DistributedLock(key = "'${names.prefix}' + #id")
		public String byPlaceholder(int id) {
			return HeldLock.current().key();
		}

		@DistributedLock(key = "'k' + #id", lease = "#{" + NAMES + ".of(3).length()}0s",
				permits = "#{" + NAMES + ".of(1).length()}")
		public String attributes(int id) {
			return HeldLock.current().key();
		}

		@DistributedLock(key = "{" + NAMES + ".of(#id)}")
		public String several(int id) {
			return HeldLock.current().key();
		}

		@DistributedLock(key = NAMES + ".of(#id)", fallback = "instead")
		public String falling(int id) {
			return HeldLock.current().key();
		}

		private String instead(int id, LockException reason) {
			return reason.getClass().getSimpleName();
		}

	}

}
