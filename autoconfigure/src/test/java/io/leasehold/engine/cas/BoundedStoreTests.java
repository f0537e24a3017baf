package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Subscription;
import io.leasehold.test.contract.CompareAndSetStoreContract;
import io.leasehold.test.contract.Parallel;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * The contract of stores, kept by {@link BoundedStore}.
 */
class BoundedStoreTests extends CompareAndSetStoreContract {

	/** Within this time, 32 threads begin and end their requests on a busy machine. */
	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final Duration LONG = Duration.ofMinutes(10);

	private final MemoryStore store = new MemoryStore(MonotonicClock.SYSTEM);

	@Override
	protected CompareAndSetStore connect() {
		return new BoundedStore("bounded", this.store.watching(), Duration.ofSeconds(30));
	}

	/** Requests that have begun may still be executed, those behind them never are. */
	@Test
	void requestsOfAStoreThatHangsAreBoundedAndNotSentLater() throws Exception {
		CountDownLatch begun = new CountDownLatch(32);
		CountDownLatch responds = new CountDownLatch(1);
		MemoryStore.Connection hanging = new MemoryStore.Connection(this.store) {

			@Override
			boolean writing(String key, MemoryStore.Request<Boolean> request) throws Exception {
				begun.countDown();
				responds.await();
				return request.send();
			}

		};
		try (BoundedStore bounded = new BoundedStore("bounded", hanging, TIMEOUT)) {
			Parallel.run(IntStream.range(0, 32).mapToObj((i) -> hangs(bounded, "key:" + i)).toList());
			assertThat(begun.getCount()).isZero();
			hangs(bounded, "key:32").call();
			hangs(bounded, "key:33").call();
			responds.countDown();
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.store.read("key:31") != null);
			assertThat(bounded.create("last", "value", LONG)).isTrue();
			assertThat(this.store.read("key:32")).isNull();
			assertThat(this.store.read("key:33")).isNull();
		}
	}

	private static Callable<Void> hangs(BoundedStore bounded, String key) {
		return () -> {
			assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> bounded.create(key, "late", LONG));
			return null;
		};
	}

	@Test
	void onlyAStoreThatReportsChangesIsWatched() throws Exception {
		try (BoundedStore watching = new BoundedStore("bounded", this.store.watching(), Duration.ofSeconds(30));
				BoundedStore silent = new BoundedStore("bounded", this.store.connect(), Duration.ofSeconds(30))) {
			assertThat(watching.watch("key", () -> {
			})).isNotNull();
			assertThat(silent.watch("key", () -> {
			})).isNull();
		}
	}

	/** No caller can close it, because none has received it. */
	@Test
	void subscriptionThatOpensAfterItsTimeoutIsClosed() throws Exception {
		CountDownLatch opens = new CountDownLatch(1);
		CountDownLatch closed = new CountDownLatch(1);
		MemoryStore.Connection slow = new MemoryStore.Connection(this.store) {

			@Override
			public Subscription watch(String key, Runnable changed) throws Exception {
				opens.await();
				return closed::countDown;
			}

		};
		try (BoundedStore bounded = new BoundedStore("bounded", slow, TIMEOUT)) {
			assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> bounded.watch("key", () -> {
			}));
			opens.countDown();
			assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
		}
	}

	@Test
	void requestRunsInAnIdleThreadIfNoOtherCanStart() throws Exception {
		this.store.create("key", "value", LONG);
		try (BoundedStore bounded = new BoundedStore(threads(1), this.store, Duration.ofSeconds(30))) {
			assertThat(bounded.read("key")).isNotNull();
			assertThatNoException().isThrownBy(() -> assertThat(bounded.read("key")).isNotNull());
		}
	}

	@Test
	void requestWithoutAThreadMayBeRepeated() {
		try (BoundedStore bounded = new BoundedStore(threads(0), this.store, Duration.ofSeconds(30));
				CasLockEngine engine = new CasLockEngine("bounded", bounded, CasSettings.of("test"),
						MonotonicClock.SYSTEM)) {
			Claim claim = new Claim(new LockKey("order:42"), Member.of("test").newOwner(), LONG, Duration.ZERO, false,
					System.nanoTime());
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim))
				.matches(LockEngineException::isRetryable)
				.withMessageContaining("no thread");
		}
	}

	/** Otherwise the store would report changes of the key for ever. */
	@Test
	void subscriptionIsClosedEvenIfNoThreadCanStart() throws Exception {
		AtomicReference<Thread> thread = new AtomicReference<>();
		CountDownLatch closed = new CountDownLatch(2);
		MemoryStore.Connection watched = new MemoryStore.Connection(this.store) {

			@Override
			public Subscription watch(String key, Runnable changed) {
				thread.set(Thread.currentThread());
				return () -> {
					closed.countDown();
					throw new IllegalStateException("ends the thread");
				};
			}

		};
		Runnable ignored = () -> {
		};
		try (BoundedStore bounded = new BoundedStore(threads(1), watched, Duration.ofSeconds(30))) {
			Subscription first = bounded.watch("key", ignored);
			AtomicReference<Subscription> second = new AtomicReference<>();
			assertThatNoException().isThrownBy(() -> second.set(bounded.watch("key", ignored)));
			assertThatNoException().isThrownBy(first::close);
			thread.get().join(Duration.ofMinutes(1).toMillis());
			assertThat(closed.getCount()).as("closed by the idle thread").isOne();
			second.get().close();
			assertThat(closed.getCount()).as("closed without a thread").isZero();
		}
	}

	/** Return a factory that can create only this number of threads. */
	private static ThreadFactory threads(int most) {
		AtomicInteger left = new AtomicInteger(most);
		return (task) -> {
			if (left.getAndDecrement() <= 0) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			Thread thread = new Thread(task);
			thread.setUncaughtExceptionHandler((failed, failure) -> {
			});
			return thread;
		};
	}

	@Test
	void failureOfTheStoreIsThrownAsItIs() throws Exception {
		IllegalStateException failure = new IllegalStateException("broken");
		MemoryStore.Connection broken = new MemoryStore.Connection(this.store) {

			@Override
			@Nullable Entry reading(String key, MemoryStore.Request<@Nullable Entry> request) {
				throw failure;
			}

		};
		try (BoundedStore bounded = new BoundedStore("bounded", broken, Duration.ofSeconds(30))) {
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> bounded.read("key"))
				.isSameAs(failure);
		}
	}

}
