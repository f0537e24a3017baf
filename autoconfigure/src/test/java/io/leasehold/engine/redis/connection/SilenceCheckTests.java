package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how a {@link SilenceCheck} takes silence for death.
 */
class SilenceCheckTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private final Delayed executor = new Delayed();

	private final Silent connection = new Silent();

	private final SilenceCheck check = new SilenceCheck(TIMEOUT, this.executor);

	/** Several callers arrive at once after a pause. */
	@Fault(133)
	@Test
	void connectionThatDoesNotRespondIsPingedAndClosedOnce() {
		this.connection.duringPing = () -> this.check.begin(this.connection);
		this.check.begin(this.connection);
		this.check.begin(this.connection);
		assertThat(this.connection.closings).isZero();
		this.executor.endTimeout();
		assertThat(this.connection.pings).isEqualTo(1);
		assertThat(this.connection.closings).isEqualTo(1);
	}

	/** However long the connection received nothing before the ping. */
	@Fault(133)
	@Test
	void connectionThatRespondsStaysOpenAndIsCheckedAgain() {
		this.check.begin(this.connection);
		this.connection.pong.complete(null);
		this.executor.endTimeout();
		this.connection.pong = new CompletableFuture<>();
		this.check.begin(this.connection);
		assertThat(this.connection.pings).isEqualTo(2);
		assertThat(this.connection.closings).isZero();
		this.executor.endTimeout();
		assertThat(this.connection.closings).isEqualTo(1);
	}

	/** Such as Lettuce without a thread. */
	@Fault(193)
	@ParameterizedTest
	@MethodSource
	void connectionThatCannotSendAPingIsClosedAndTheNextOneChecked(Throwable failure) {
		this.connection.duringPing = () -> ReflectionUtils.rethrowRuntimeException(failure);
		this.check.begin(this.connection);
		this.executor.endTimeout();
		assertThat(this.connection.closings).isEqualTo(1);
		Silent next = new Silent();
		this.check.begin(next);
		this.executor.endTimeout();
		assertThat(next.closings).isEqualTo(1);
	}

	static List<Throwable> connectionThatCannotSendAPingIsClosedAndTheNextOneChecked() {
		return List.of(new IllegalStateException("no event loop"), new NoClassDefFoundError("closed jar"));
	}

	/** Executor whose tasks run when the test lets their delays end. */
	private static final class Delayed extends ScheduledThreadPoolExecutor {

		private final Queue<Runnable> tasks = new ArrayDeque<>();

		Delayed() {
			super(0);
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
			assertThat(unit.toNanos(delay)).isEqualTo(TIMEOUT.toNanos());
			this.tasks.add(task);
			return null;
		}

		void endTimeout() {
			Runnable task = this.tasks.remove();
			assertThat(this.tasks).isEmpty();
			task.run();
		}

	}

	/** A connection whose other end says nothing unless the test does. */
	private static final class Silent implements SubscribedConnection {

		private CompletableFuture<Object> pong = new CompletableFuture<>();

		private Runnable duringPing = () -> {
		};

		private int pings;

		private int closings;

		@Override
		public boolean isOpen() {
			return this.closings == 0;
		}

		@Override
		public CompletionStage<?> ping() {
			this.pings++;
			this.duringPing.run();
			return this.pong;
		}

		@Override
		public void close() {
			this.closings++;
		}

	}

}
