package io.leasehold.service;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Many parked grants that are returned at the same time.
 */
class ReturnsTests {

	private final Queue<Runnable> threads = new ArrayDeque<>();

	private final Returns returns = new Returns(this.threads::add);

	private final List<String> done = new ArrayList<>();

	@Test
	void otherReleasesDoNotWaitForThem() {
		for (int i = 0; i < 100; i++) {
			String name = "return " + i;
			this.returns.execute(() -> this.done.add(name));
		}
		this.threads.add(() -> this.done.add("release"));
		while (!this.threads.isEmpty()) {
			this.threads.remove().run();
		}
		assertThat(this.done).hasSize(101);
		assertThat(this.done.indexOf("release")).isEqualTo(Returns.THREADS);
		assertThat(this.done.get(100)).isEqualTo("return 99");
	}

	@Test
	void failureDoesNotEndThem() {
		for (int i = 0; i < Returns.THREADS; i++) {
			this.returns.execute(() -> {
				throw new IllegalStateException();
			});
		}
		this.returns.execute(() -> this.done.add("return"));
		for (int i = 0; i < Returns.THREADS; i++) {
			assertThatIllegalStateException().isThrownBy(() -> this.threads.remove().run());
		}
		while (!this.threads.isEmpty()) {
			this.threads.remove().run();
		}
		assertThat(this.done).containsExactly("return");
	}

}
