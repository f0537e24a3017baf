package io.leasehold.interceptor;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockKey;
import io.leasehold.LossCause;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.AcquisitionListener;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import io.leasehold.observation.LockObservations;
import io.leasehold.test.contract.Fault;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Table of callbacks of the application that are called between the request for a lock
 * and its release × what they throw × forms of methods. The caller receives a result, and
 * the key is free after the body, which runs at most once, and never without its lock.
 */
class FailingCallbacksTests {

	private static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

	private static volatile @Nullable Callback failing;

	private static volatile Supplier<Throwable> thrown = IllegalStateException::new;

	private final List<String> wrong = new ArrayList<>();

	@ParameterizedTest
	@EnumSource
	@Fault(57)
	void failingCallbackLeavesNoLockAndNoCallerWithoutAnAnswer(Form form) {
		ContextRegistry.getInstance().registerThreadLocalAccessor(new Tenant());
		try {
			Locked.runner(Application.class)
				.withPropertyValues("leasehold.lease=10m", "leasehold.async.executor=special")
				.run((context) -> {
					Orders orders = context.getBean(Orders.class);
					DistributedLocks locks = context.getBean(DistributedLocks.class);
					for (Callback callback : Callback.values()) {
						for (Thrown one : Thrown.values()) {
							String key = "%s, %s, %s".formatted(form, callback, one);
							failing = callback;
							thrown = one.exception;
							check(form, orders, locks, key);
							failing = null;
						}
					}
				});
		}
		finally {
			failing = null;
			ContextRegistry.getInstance().removeThreadLocalAccessor(Tenant.KEY);
		}
		assertThat(this.wrong).isEmpty();
	}

	private void check(Form form, Orders orders, DistributedLocks locks, String key) throws Exception {
		CompletableFuture<Void> body = new CompletableFuture<>();
		List<Boolean> locked = new ArrayList<>();
		CompletableFuture<Object> answer = new CompletableFuture<>();
		Locked.execute(() -> {
			TENANT.set("acme");
			try {
				Object result = form.call(orders, key, () -> {
					locked.add(!Locked.isFree(locks, key));
					body.completeAsync(() -> {
						// Work that is still running under the lock
						locked.add(!Locked.isFree(locks, key));
						return null;
					}, Locked::execute);
					return body.thenApply((end) -> "paid");
				});
				answer.complete(result);
			}
			catch (Throwable ex) {
				answer.completeExceptionally(ex);
			}
			finally {
				TENANT.remove();
			}
		});
		try {
			answer.get(Locked.SOON.toSeconds(), TimeUnit.SECONDS);
		}
		catch (TimeoutException ex) {
			this.wrong.add(key + ": no answer\n");
		}
		catch (Exception ex) {
			assertThat(ex).hasCauseInstanceOf(Throwable.class);
		}
		try {
			// Of such a stage, nobody knows when its work ends
			if (failing != Callback.STAGE_OBSERVED) {
				await().dontCatchUncaughtExceptions().until(() -> Locked.isFree(locks, key));
			}
		}
		catch (org.awaitility.core.ConditionTimeoutException ex) {
			this.wrong.add(key + ": not free\n");
		}
		if (locked.contains(false)) {
			this.wrong.add(key + ": body without its lock\n");
		}
	}

	private static void reached(Callback callback) {
		if (failing == callback) {
			sneakyThrow(thrown.get());
		}
	}

	@SuppressWarnings("unchecked")
	private static <T extends Throwable> void sneakyThrow(Throwable thrown) throws T {
		throw (T) thrown;
	}

	enum Callback {

		ACCESSOR_GET, ACCESSOR_SET, ACCESSOR_RESTORE, EXECUTOR, EXECUTOR_AFTER, FOLLOW, EVENT, ACQUIRE_ENDED,
		HOLD_STARTED, HOLD_ENDED, OBSERVATION_START, OBSERVATION_SCOPE, OBSERVATION_STOP, FENCING, FENCING_CLOSE,
		STAGE_OBSERVED, VALUE_READ

	}

	enum Thrown {

		EXCEPTION(() -> new IllegalStateException("broken")),

		/** As Kotlin's {@code TODO()} does. */
		ERROR(() -> new Error("not implemented")),

		STACK_OVERFLOW(StackOverflowError::new);

		private final Supplier<Throwable> exception;

		Thrown(Supplier<Throwable> exception) {
			this.exception = exception;
		}

	}

	enum Form {

		PLAIN {

			@Override
			Object call(Orders orders, String key, Supplier<CompletableFuture<String>> body) {
				return orders.plain(key, body);
			}

		},

		FENCED {

			@Override
			Object call(Orders orders, String key, Supplier<CompletableFuture<String>> body) {
				return orders.fenced(key, body);
			}

		},

		STAGE {

			@Override
			Object call(Orders orders, String key, Supplier<CompletableFuture<String>> body) throws Throwable {
				return join(orders.stage(key, body));
			}

		},

		ASYNC {

			@Override
			Object call(Orders orders, String key, Supplier<CompletableFuture<String>> body) throws Throwable {
				return join(orders.async(key, body));
			}

		},

		ANY {

			@Override
			Object call(Orders orders, String key, Supplier<CompletableFuture<String>> body) throws Throwable {
				return join((CompletableFuture<?>) orders.any(key, body));
			}

		},

		MONO {

			@Override
			Object call(Orders orders, String key, Supplier<CompletableFuture<String>> body) {
				return String.valueOf(orders.mono(key, body)
					.contextWrite((context) -> context.put(Tenant.KEY, "acme"))
					.block(Locked.SOON));
			}

		},

		FLUX {

			@Override
			Object call(Orders orders, String key, Supplier<CompletableFuture<String>> body) {
				return String.valueOf(orders.flux(key, body)
					.contextWrite((context) -> context.put(Tenant.KEY, "acme"))
					.blockLast(Locked.SOON));
			}

		};

		abstract Object call(Orders orders, String key, Supplier<CompletableFuture<String>> body) throws Throwable;

		private static Object join(CompletableFuture<?> result) throws Throwable {
			try {
				return result.join();
			}
			catch (CompletionException ex) {
				throw ex.getCause();
			}
		}

	}

	private static final class Tenant implements ThreadLocalAccessor<String> {

		static final String KEY = "failing.tenant";

		@Override
		public Object key() {
			return KEY;
		}

		@Override
		public @Nullable String getValue() {
			reached(Callback.ACCESSOR_GET);
			return TENANT.get();
		}

		@Override
		public void setValue(String value) {
			reached(Callback.ACCESSOR_SET);
			TENANT.set(value);
		}

		@Override
		public void setValue() {
			TENANT.remove();
		}

		@Override
		public void restore(String previous) {
			reached(Callback.ACCESSOR_RESTORE);
			TENANT.set(previous);
		}

		@Override
		public void restore() {
			reached(Callback.ACCESSOR_RESTORE);
			TENANT.remove();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Application {

		@Bean
		Orders orders() {
			return new Orders();
		}

		@Bean
		Executor special() {
			return (task) -> {
				reached(Callback.EXECUTOR);
				Locked.execute(() -> {
					task.run();
					reached(Callback.EXECUTOR_AFTER);
				});
			};
		}

		@Bean
		Listener listener() {
			return new Listener();
		}

		@Bean
		LockObservations observations() {
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig().observationHandler(new Handler());
			return new LockObservations(registry, null, null);
		}

		@Bean
		FencingGuard guard() {
			return (lock) -> {
				reached(Callback.FENCING);
				return HeldLockScope.open(lock, (transaction) -> {
				}, () -> reached(Callback.FENCING_CLOSE));
			};
		}

	}

	private static final class Listener implements LockEventListener {

		@Override
		public void onEvent(LockEvent event) {
			reached(Callback.EVENT);
		}

		@Override
		public AcquisitionListener follow(String engine, String name, LockKey key) {
			reached(Callback.FOLLOW);
			return new AcquisitionListener() {

				@Override
				public void acquireEnded(AcquireOutcome outcome, @Nullable Exception failure) {
					reached(Callback.ACQUIRE_ENDED);
				}

				@Override
				public void holdStarted(long fencingToken) {
					reached(Callback.HOLD_STARTED);
				}

				@Override
				public void holdEnded(@Nullable LossCause lossCause) {
					reached(Callback.HOLD_ENDED);
				}

			};
		}

	}

	private static final class Handler implements ObservationHandler<Observation.Context> {

		@Override
		public void onStart(Observation.Context context) {
			reached(Callback.OBSERVATION_START);
		}

		@Override
		public void onScopeOpened(Observation.Context context) {
			reached(Callback.OBSERVATION_SCOPE);
		}

		@Override
		public void onStop(Observation.Context context) {
			reached(Callback.OBSERVATION_STOP);
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

	/** A future whose observers fail. */
	private static final class Unobservable<T> extends CompletableFuture<T> {

		@Override
		public CompletableFuture<T> whenComplete(java.util.function.BiConsumer<? super T, ? super Throwable> action) {
			reached(Callback.STAGE_OBSERVED);
			return super.whenComplete(action);
		}

	}

	/** A list that cannot be read. */
	private static final class Unreadable extends AbstractList<String> {

		@Override
		public String get(int index) {
			return "paid";
		}

		@Override
		public int size() {
			reached(Callback.VALUE_READ);
			return 1;
		}

	}

	static class Orders {

		@DistributedLock(key = "#key")
		public String plain(String key, Supplier<CompletableFuture<String>> body) {
			return body.get().join();
		}

		@DistributedLock(key = "#key", fenced = true)
		public String fenced(String key, Supplier<CompletableFuture<String>> body) {
			return body.get().join();
		}

		@DistributedLock(key = "#key")
		public CompletableFuture<String> stage(String key, Supplier<CompletableFuture<String>> body) {
			return followed(body.get(), (value) -> value);
		}

		@Async("special")
		@DistributedLock(key = "#key")
		public CompletableFuture<String> async(String key, Supplier<CompletableFuture<String>> body) {
			return CompletableFuture.completedFuture(body.get().join());
		}

		@DistributedLock(key = "#key")
		public Object any(String key, Supplier<CompletableFuture<String>> body) {
			return followed(body.get(), (value) -> new Unreadable());
		}

		@DistributedLock(key = "#key")
		public Mono<String> mono(String key, Supplier<CompletableFuture<String>> body) {
			return Mono.fromFuture(body.get());
		}

		@DistributedLock(key = "#key")
		public Flux<String> flux(String key, Supplier<CompletableFuture<String>> body) {
			return Flux.from(Mono.fromFuture(body.get()));
		}

		private static <T> CompletableFuture<T> followed(CompletableFuture<String> body, Function<String, T> result) {
			Unobservable<T> future = new Unobservable<>();
			body.whenComplete((value, failure) -> future.complete(result.apply(value)));
			return future;
		}

	}

}
