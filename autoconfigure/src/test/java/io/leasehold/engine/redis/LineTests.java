package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.leasehold.test.contract.Parallel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how a {@link Line} takes silence for death.
 */
class LineTests {

	private static final Duration SILENCE = Duration.ofMillis(100);

	@Test
	void requestsThatComeTogetherAfterAPauseAreNoSilence() throws Exception {
		for (int i = 0; i < 3000; i++) {
			Line line = new Line(new Node("localhost", 1), new Unanswered(), Duration.ofSeconds(1));
			CyclicBarrier together = new CyclicBarrier(3);
			Callable<Void> request = () -> {
				together.await();
				line.send(Script.CLOSE, new String[0], new String[0]);
				assertThat(line.isUsable()).isTrue();
				return null;
			};
			Parallel.run(Collections.nCopies(3, request));
		}
	}

	@Test
	void lineThatIsSilentForTooLongIsNotUsedAgain() {
		Line line = new Line(new Node("localhost", 1), new Unanswered(), SILENCE);
		line.send(Script.CLOSE, new String[0], new String[0]);
		line.send(Script.CLOSE, new String[0], new String[0]);
		assertThat(line.isUsable()).isTrue();
		long sent = System.nanoTime();
		while (System.nanoTime() - sent <= SILENCE.toNanos()) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
		}
		assertThat(line.isUsable()).isFalse();
	}

	/** A connection whose other end says nothing. */
	private static final class Unanswered implements Connection {

		private volatile boolean open = true;

		@Override
		public boolean isOpen() {
			return this.open;
		}

		@Override
		public CompletableFuture<@Nullable Object> send(String command, String... arguments) {
			return new CompletableFuture<>();
		}

		@Override
		public void close() {
			this.open = false;
		}

	}

}
