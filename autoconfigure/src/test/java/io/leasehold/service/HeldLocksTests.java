package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link HeldLocks} and {@link AsyncHeldLocks}, whose parts a test controls.
 */
class HeldLocksTests {

	private final List<String> closed = new ArrayList<>();

	private final Map<String, CompletableFuture<HeldLock>> requested = new HashMap<>();

	@Test
	void lossOfAnyPartIsReportedOnce() {
		Part a = new Part("a");
		Part b = new Part("b");
		List<LockLostException> losses = new ArrayList<>();
		HeldLocks.of(List.of(a, b)).onLost(losses::add);
		b.lose();
		assertThat(losses).extracting(LockLostException::getKey).containsExactly("b");
		a.lose();
		assertThat(losses).hasSize(1);
	}

	@Test
	void partsAreClosedTheLastFirstThoughSomeFail() {
		List<HeldLock> parts = List.of(new Part("a"), new Part("b").failing(), new Part("c").failing(), new Part("d"));
		assertThatIllegalStateException().isThrownBy(HeldLocks.of(parts)::close)
			.withMessage("c")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).extracting(Throwable::getMessage).containsExactly("b"));
		assertThat(this.closed).containsExactly("d", "c", "b", "a");
	}

	@Test
	void partsThatWereAcquiredInVainAreClosed() {
		HeldLock lost = new Part("b").lose();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> HeldLocks.take(keys("a", "b").all(),
					(key) -> key.value().equals("b") ? lost : new Part(key.value()), this::closeAtOnce))
			.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("b"));
		assertThat(this.closed).containsExactlyInAnyOrder("a", "b");
	}

	/** A future may wrap its exception. */
	@Test
	void failureToCloseIsSuppressedInTheReason() {
		Exception reason = new Exception("reason");
		List<Throwable> failures = List.of(new IllegalStateException("plain"),
				new CompletionException(new IllegalStateException("wrapped")),
				new CompletionException("without a cause", null),
				new IllegalStateException("with a cause", new IllegalArgumentException("cause")));
		for (Throwable failure : failures) {
			HeldLocks.closeAll(List.of(new Part("a")), reason, (lock) -> CompletableFuture.failedFuture(failure))
				.join();
		}
		assertThat(reason.getSuppressed()).extracting(Throwable::getMessage)
			.containsExactly("plain", "wrapped", "without a cause", "with a cause");
	}

	@Test
	void locksAreTakenOneAfterTheOther() {
		CompletableFuture<HeldLock> all = takeAsync("a", "b");
		assertThat(this.requested).containsOnlyKeys("a");
		grant("a");
		assertThat(this.requested).containsOnlyKeys("a", "b");
		assertThat(all).isNotDone();
		grant("b");
		assertThat(all.join().key()).isEqualTo("a,b");
		assertThat(this.closed).isEmpty();
	}

	@Test
	void failureOfOneGivesUpTheOthers() {
		CompletableFuture<HeldLock> all = takeAsync("a", "b", "c");
		grant("a");
		this.requested.get("b").completeExceptionally(new IllegalStateException("b"));
		assertThat(all).isCompletedExceptionally();
		assertThat(all.handle((held, failure) -> failure).join()).isInstanceOf(IllegalStateException.class);
		assertThat(this.requested).containsOnlyKeys("a", "b");
		assertThat(this.closed).containsExactly("a");
	}

	@Test
	void failureOfOneIsUnwrapped() {
		for (Throwable failure : List.of(new IllegalStateException("one"),
				new CompletionException(new IllegalStateException("one")), new CompletionException("one", null))) {
			CompletableFuture<HeldLock> all = takeAsync("a", "b");
			this.requested.get("a").completeExceptionally(failure);
			assertThat(all.handle((held, ex) -> ex).join()).hasMessage("one");
		}
	}

	@Test
	void lossOfAnEarlierOneGivesUpAll() {
		CompletableFuture<HeldLock> all = takeAsync("a", "b");
		this.requested.get("a").complete(new Part("a").lose());
		grant("b");
		assertThat(all.handle((held, failure) -> failure).join()).isInstanceOf(LockLostException.class);
		assertThat(this.closed).containsExactlyInAnyOrder("a", "b");
	}

	@Test
	void cancellationGivesUpTheWaitAndWhatWasTaken() {
		CompletableFuture<HeldLock> all = takeAsync("a", "b", "c");
		grant("a");
		all.cancel(false);
		assertThat(this.requested.get("b")).isCancelled();
		assertThat(this.requested).containsOnlyKeys("a", "b");
		assertThat(this.closed).containsExactly("a");
	}

	/** The lock was granted before its wait could be cancelled. */
	@Test
	void cancellationAtTheMomentOfAGrantTakesNoMore() {
		List<Runnable> tasks = new ArrayList<>();
		CompletableFuture<HeldLock> cancelled = AsyncHeldLocks.take(keys("a", "b"), this::ask, this::closeAtOnce,
				UnaryOperator.identity(), tasks::add);
		grant("a");
		cancelled.cancel(false);
		tasks.forEach(Runnable::run);
		assertThat(this.requested).containsOnlyKeys("a");
		assertThat(this.closed).containsExactly("a");
	}

	private CompletableFuture<HeldLock> takeAsync(String... keys) {
		return AsyncHeldLocks.take(keys(keys), this::ask, this::closeAtOnce, UnaryOperator.identity(), Runnable::run);
	}

	private CompletableFuture<HeldLock> ask(LockKey key) {
		CompletableFuture<HeldLock> one = new CompletableFuture<>();
		this.requested.put(key.value(), one);
		return one;
	}

	private void grant(String key) {
		this.requested.get(key).complete(new Part(key));
	}

	private CompletableFuture<Void> closeAtOnce(HeldLock lock) {
		lock.close();
		return CompletableFuture.completedFuture(null);
	}

	private static LockKeys keys(String... keys) {
		return LockKeys.of(List.of(keys));
	}

	private final class Part implements HeldLock {

		private final String key;

		private final List<Consumer<LockLostException>> actions = new ArrayList<>();

		private boolean lost;

		private boolean fails;

		Part(String key) {
			this.key = key;
		}

		Part lose() {
			this.lost = true;
			this.actions.forEach((action) -> action.accept(loss()));
			return this;
		}

		Part failing() {
			this.fails = true;
			return this;
		}

		private LockLostException loss() {
			return new LockLostException(new LockKey(this.key), "test", LossCause.EXPIRED, null);
		}

		@Override
		public String key() {
			return this.key;
		}

		@Override
		public String engine() {
			return "test";
		}

		@Override
		public long fencingToken() {
			return 64;
		}

		@Override
		public boolean isValid() {
			return !this.lost;
		}

		@Override
		public void throwIfLost() {
			if (this.lost) {
				throw loss();
			}
		}

		@Override
		public Duration remaining() {
			return Duration.ofSeconds(1);
		}

		@Override
		public void extend(Duration maxHold, Duration minHold) {
		}

		@Override
		public boolean isStopping() {
			return false;
		}

		@Override
		public void onLost(Consumer<LockLostException> action) {
			this.actions.add(action);
		}

		@Override
		public void close() {
			HeldLocksTests.this.closed.add(this.key);
			if (this.fails) {
				throw new IllegalStateException(this.key);
			}
		}

	}

}
