package io.leasehold.engine.redis.connection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for when a {@link Known} response is requested again.
 */
class KnownTests {

	private final Queue<Runnable> tasks = new ArrayDeque<>();

	private final List<String> listener = new ArrayList<>();

	private Supplier<String> response = () -> "first";

	private final Known<String> known = new Known<>(() -> this.response.get(), this.listener::add, this::execute);

	private boolean memoryIsFull;

	@Test
	void callersShareOneRequestAndItsResponse() {
		CompletableFuture<String> first = this.known.get();
		assertThat(this.known.get()).isSameAs(first);
		assertThat(this.tasks).hasSize(1);
		runAll();
		assertThat(first).isCompletedWithValue("first");
		assertThat(this.known.get()).isSameAs(first);
		assertThat(this.tasks).isEmpty();
		assertThat(this.listener).containsExactly("first");
	}

	@Test
	void failedQuestionIsAskedAgain() {
		this.response = () -> {
			throw RedisFailure.noResponse("unreachable", null);
		};
		CompletableFuture<String> failed = this.known.get();
		runAll();
		assertThat(failed).isCompletedExceptionally();
		this.response = () -> "second";
		CompletableFuture<String> next = this.known.get();
		runAll();
		assertThat(next).isCompletedWithValue("second");
		assertThat(this.listener).containsExactly("second");
	}

	@Test
	void queryThatCannotBeginIsRepeated() {
		this.memoryIsFull = true;
		assertThatThrownBy(this.known::get).isInstanceOf(OutOfMemoryError.class);
		this.memoryIsFull = false;
		assertThat(responded()).isCompletedWithValue("first");
		this.memoryIsFull = true;
		assertThatThrownBy(this.known::refresh).isInstanceOf(OutOfMemoryError.class);
		this.memoryIsFull = false;
		this.response = () -> "second";
		this.known.refresh();
		runAll();
		assertThat(this.known.get()).isCompletedWithValue("second");
	}

	@Test
	void outdatedResponseIsForgotten() {
		responded();
		this.response = () -> "second";
		this.known.forget("first");
		CompletableFuture<String> next = this.known.get();
		runAll();
		assertThat(next).isCompletedWithValue("second");
	}

	@Test
	void anotherResponseThanTheOutdatedOneIsKept() {
		CompletableFuture<String> first = responded();
		this.known.forget("another");
		assertThat(this.known.get()).isSameAs(first);
	}

	@Test
	void forgettingWithoutAResponseHasNoEffect() {
		this.known.forget("first");
		assertThat(responded()).isCompletedWithValue("first");
	}

	/** A failed question is asked again in any case. */
	@Test
	void forgettingAFailureHasNoEffect() {
		this.response = () -> {
			throw RedisFailure.noResponse("unreachable", null);
		};
		this.known.get();
		runAll();
		this.known.forget("first");
		this.response = () -> "second";
		assertThat(responded()).isCompletedWithValue("second");
	}

	/** Forgetting must not wait for the response. */
	@Test
	void questionUnderWayIsNotForgotten() {
		CompletableFuture<String> pending = this.known.get();
		Thread forgetting = new Thread(() -> this.known.forget("first"));
		forgetting.start();
		join(forgetting);
		assertThat(forgetting.isAlive()).isFalse();
		assertThat(this.known.get()).isSameAs(pending);
	}

	@Test
	void lastResponseStandsUntilARefreshHasAnother() {
		responded();
		this.response = () -> "second";
		this.known.refresh();
		this.known.refresh();
		assertThat(this.known.get()).isCompletedWithValue("first");
		assertThat(this.tasks).hasSize(1);
		runAll();
		assertThat(this.known.get()).isCompletedWithValue("second");
		assertThat(this.listener).containsExactly("first", "second");
	}

	@Test
	void refreshThatFailsKeepsTheLastResponseAndIsRepeated() {
		responded();
		this.response = () -> {
			throw RedisFailure.noResponse("unreachable", null);
		};
		this.known.refresh();
		runAll();
		assertThat(this.known.get()).isCompletedWithValue("first");
		this.response = () -> "second";
		this.known.refresh();
		runAll();
		assertThat(this.known.get()).isCompletedWithValue("second");
	}

	private void execute(Runnable task) {
		if (this.memoryIsFull) {
			throw new OutOfMemoryError("no space for a task");
		}
		this.tasks.add(task);
	}

	private CompletableFuture<String> responded() {
		CompletableFuture<String> responded = this.known.get();
		runAll();
		return responded;
	}

	private void runAll() {
		for (Runnable task = this.tasks.poll(); task != null; task = this.tasks.poll()) {
			task.run();
		}
	}

	private static void join(Thread thread) {
		try {
			thread.join(10_000);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
