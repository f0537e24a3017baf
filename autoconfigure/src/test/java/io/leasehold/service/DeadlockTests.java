package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import io.leasehold.test.contract.DelegatingEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for threads of one process that wait for each other's locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class DeadlockTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	private LockService locks = service(DeadlockPolicy.BREAK);

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void lastOfACycleFailsAndTheOthersGoOn(CapturedOutput output) throws Exception {
		List<CompletableFuture<Void>> threads = cycle("local", "a", "b", "c");
		assertThat(threads).filteredOn((thread) -> failure(thread) != null).singleElement().satisfies((failed) -> {
			assertThat(failure(failed)).isInstanceOf(LockBusyException.class)
				.hasMessageContaining("Deadlock: thread cycle-")
				.hasMessageContaining("waits for lock 'a' of thread cycle-0");
			assertThat(((LockBusyException) failure(failed)).getWaited()).isLessThan(LONG);
		});
		assertThat(output.getOut()).containsOnlyOnce("Deadlock: ").contains(", which waits for lock '");
	}

	@Test
	void cycleMayHaveLocksOfSeveralEngines() throws Exception {
		List<CompletableFuture<Void>> threads = cycle("other", "a", "b");
		assertThat(threads).filteredOn((thread) -> failure(thread) != null).hasSize(1);
	}

	@Test
	void cycleIsOnlyReportedByDefault(CapturedOutput output) throws Exception {
		this.locks.close();
		this.locks = service(DeadlockPolicy.WARN);
		CountDownLatch both = new CountDownLatch(2);
		Duration patience = Duration.ofSeconds(3);
		CompletableFuture<Void> one = inThread("one", () -> nested("a", "local", "b", both, patience));
		CompletableFuture<Void> other = inThread("other", () -> nested("b", "local", "a", both, LONG));
		await().until(() -> output.getOut().contains("Deadlock: "));
		assertThat(other).isNotDone();
		assertThat(failure(one)).isInstanceOf(LockBusyException.class)
			.hasMessageContaining("The caller itself holds 'a'")
			.hasMessageEndingWith("Deadlock: thread one waits for lock 'b' of thread other,"
					+ " which waits for lock 'a' of thread one");
		assertThat(failure(other)).isNull();
		assertThat(output.getOut()).containsOnlyOnce("Deadlock: ");
	}

	/** As the wait times of threads do that began to wait at the same time. */
	@Test
	void cycleIsNamedIfAllWaitTimesHaveEnded() {
		CountDownLatch ended = new CountDownLatch(2);
		this.locks.close();
		this.locks = service(DeadlockPolicy.WARN, (event) -> {
			if (event instanceof LockEvent.AcquireEnded end && end.outcome() == AcquireOutcome.BUSY) {
				ended.countDown();
				awaitLatch(ended);
			}
		});
		CountDownLatch both = new CountDownLatch(2);
		Duration patience = Duration.ofSeconds(3);
		CompletableFuture<Void> one = inThread("one", () -> nested("a", "local", "b", both, patience));
		CompletableFuture<Void> other = inThread("other", () -> nested("b", "local", "a", both, patience));
		assertThat(Stream.of(one, other).map(DeadlockTests::failure))
			.allSatisfy((failure) -> assertThat(failure).isInstanceOf(LockBusyException.class))
			.anySatisfy((failure) -> assertThat(failure).hasMessageContaining("Deadlock: thread "));
	}

	/** The first one waits for the second, which waits for nobody. */
	@Test
	void chainIsNoCycle(CapturedOutput output) throws Exception {
		CountDownLatch both = new CountDownLatch(2);
		CompletableFuture<Void> second = inThread("second", () -> {
			this.locks.call("b", options("local", LONG), (held) -> {
				both.countDown();
				await().until(() -> !this.locks.inspector().overview().waiting().isEmpty());
				return this.locks.call("c", options("local", LONG), (inside) -> null);
			});
		});
		CompletableFuture<Void> first = inThread("first", () -> nested("a", "local", "b", both, LONG));
		assertThat(failure(first)).isNull();
		assertThat(failure(second)).isNull();
		assertThat(output.getOut()).doesNotContain("Deadlock: ");
	}

	/** Its handle was passed on. */
	@Test
	void lockThatAnotherThreadReleasesBelongsToNoCycle(CapturedOutput output) {
		CompletableFuture<HeldLock> passed = new CompletableFuture<>();
		CountDownLatch both = new CountDownLatch(2);
		CompletableFuture<Void> first = inThread("first", () -> {
			passed.complete(this.locks.acquire("a"));
			nested("x", "local", "b", both, LONG);
		});
		HeldLock a = passed.join();
		CompletableFuture<Void> second = inThread("second", () -> nested("b", "local", "a", both, LONG));
		await().until(() -> this.locks.inspector().overview().waiting().size() == 2);
		assertThat(output.getOut()).doesNotContain("Deadlock: ");
		a.close();
		assertThat(failure(second)).isNull();
		assertThat(failure(first)).isNull();
	}

	/** "first" has its shared b already, and only a listener is slow. */
	@Test
	void threadThatHasItsLockDoesNotWait(CapturedOutput output) throws Exception {
		CountDownLatch slow = new CountDownLatch(1);
		this.locks.close();
		this.locks = service(DeadlockPolicy.BREAK, (event) -> {
			if (event instanceof LockEvent.AcquireEnded ended && ended.key().value().equals("b")
					&& Thread.currentThread().getName().equals("first")) {
				awaitLatch(slow);
			}
		});
		LockOptions shared = options("local", LONG).toBuilder().mode(LockMode.SHARED).build();
		HeldLock b = this.locks.acquire("b");
		CompletableFuture<Void> first = inThread("first", () -> this.locks.call("a", options("local", LONG),
				(held) -> this.locks.call("b", shared, (inside) -> null)));
		await().until(() -> isAwaited("b", 1));
		CompletableFuture<Void> second = inThread("second", () -> this.locks.call("b", shared,
				(held) -> this.locks.call("a", options("local", LONG), (inside) -> null)));
		await().until(() -> isAwaited("b", 2));
		b.close();
		await().until(() -> second.isDone() || isAwaited("a", 1));
		slow.countDown();
		assertThat(failure(second)).isNull();
		assertThat(failure(first)).isNull();
		assertThat(output.getOut()).doesNotContain("Deadlock: ");
	}

	private boolean isAwaited(String key, int callers) {
		return this.locks.inspector()
			.overview()
			.waiting()
			.stream()
			.filter((waiting) -> waiting.key().value().equals(key))
			.count() == callers;
	}

	private static void awaitLatch(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Each thread holds one key and waits for the next, the first one's last. */
	private List<CompletableFuture<Void>> cycle(String engine, String... keys) {
		CountDownLatch all = new CountDownLatch(keys.length);
		return IntStream.range(0, keys.length)
			.mapToObj((i) -> inThread("cycle-" + i,
					() -> nested(keys[i], engine, keys[(i + 1) % keys.length], all, LONG)))
			.toList();
	}

	private void nested(String outer, String engine, String inner, CountDownLatch all, Duration patience)
			throws Exception {
		this.locks.call(outer, options(outer.equals("a") ? "local" : engine, LONG), (held) -> {
			all.countDown();
			all.await();
			return this.locks.call(inner, options(inner.equals("a") ? "local" : engine, patience), (inside) -> null);
		});
	}

	private LockOptions options(String engine, Duration waitTime) {
		return this.locks.defaults().toBuilder().engine(engine).waitTime(waitTime).build();
	}

	private static Throwable failure(CompletableFuture<Void> thread) {
		try {
			thread.get();
			return null;
		}
		catch (ExecutionException ex) {
			return ex.getCause();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static CompletableFuture<Void> inThread(String name, Action action) {
		CompletableFuture<Void> result = new CompletableFuture<>();
		new Thread(() -> {
			try {
				action.run();
				result.complete(null);
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		}, name).start();
		return result;
	}

	private static LockService service(DeadlockPolicy policy, LockEventListener... listeners) {
		LockOptions defaults = new LockOptions("test", "local", Duration.ofMinutes(1), LONG, Duration.ZERO,
				LockOptions.UNLIMITED);
		return new LockService(
				new ServiceSettings(defaults, OnLost.THROW, 63, Duration.ofSeconds(5), LockOptions.UNLIMITED,
						LockOptions.UNLIMITED, HolderReport.AFTER_WAIT, policy),
				List.of(new LocalLockEngine(MonotonicClock.SYSTEM), new Other()), Member.of("test"),
				MonotonicClock.SYSTEM, List.of(listeners), ReleaseTiming.IMMEDIATE);
	}

	private interface Action {

		void run() throws Exception;

	}

	private static final class Other extends DelegatingEngine {

		Other() {
			super(new LocalLockEngine(MonotonicClock.SYSTEM));
		}

		@Override
		public String name() {
			return "other";
		}

	}

}
