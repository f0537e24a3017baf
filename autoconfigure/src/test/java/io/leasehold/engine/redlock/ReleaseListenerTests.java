package io.leasehold.engine.redlock;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.leasehold.engine.redis.connection.Connection;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.SubscribedConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for when a {@link ReleaseListener} subscribes again.
 */
class ReleaseListenerTests {

	private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

	private final AtomicInteger missed = new AtomicInteger();

	@AfterEach
	void stop() {
		this.executor.shutdownNow();
	}

	@ParameterizedTest
	@MethodSource("failures")
	void attemptThatFailsIsMadeAgain(Throwable failure) {
		Failing connector = new Failing(failure);
		listener(connector).ensureOpen();
		await().until(() -> this.missed.get() == 1);
		assertThat(connector.attempts).hasValue(2);
	}

	/** Lettuce keeps a broken connection until it is closed. */
	@ParameterizedTest
	@MethodSource("failures")
	void brokenConnectionThatCannotBeClosedIsReplaced(Throwable failure) {
		Failing connector = new Failing(null);
		connector.closing = failure;
		ReleaseListener listener = listener(connector);
		listener.ensureOpen();
		await().until(() -> this.missed.get() == 1);
		connector.open = false;
		listener.ensureOpen();
		await().until(() -> this.missed.get() == 2);
	}

	static List<Throwable> failures() {
		return List.of(RedisFailure.noResponse("unreachable", null), new IllegalStateException("no event loop"),
				new OutOfMemoryError("no thread"), new NoClassDefFoundError("closed jar"));
	}

	private ReleaseListener listener(Connector connector) {
		Master master = new Master(new Node("localhost", 1), connector, () -> new Login(null, null, 0),
				RedlockOpener.settings("ns"), this.executor, new ConcurrentHashMap<>());
		return new ReleaseListener(master, RedlockOpener.settings("ns"), this.executor, new Waiting());
	}

	/** Claims wait for messages. */
	private final class Waiting implements ReleaseListener.Receiver {

		@Override
		public boolean isAwaiting() {
			return true;
		}

		@Override
		public void released(Master master, String lock) {
		}

		@Override
		public void missed(Master master) {
			ReleaseListenerTests.this.missed.incrementAndGet();
		}

		@Override
		public void rejected(Master master, String channel, RedisFailure failure) {
		}

	}

	/** Client whose first subscription fails, or the first close of a connection. */
	private static final class Failing implements Connector, SubscribedConnection {

		private final AtomicInteger attempts = new AtomicInteger();

		private final Throwable first;

		private volatile Throwable closing;

		private volatile boolean open = true;

		Failing(Throwable first) {
			this.first = first;
		}

		@Override
		public SubscribedConnection listen(Node node, Login login, String channel, Consumer<String> messages,
				Runnable lost) {
			if (this.attempts.incrementAndGet() == 1 && this.first != null) {
				ReflectionUtils.rethrowRuntimeException(this.first);
			}
			this.open = true;
			return this;
		}

		@Override
		public Connection connect(Node node, Login login) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean isOpen() {
			return this.open;
		}

		@Override
		public CompletionStage<?> ping() {
			return CompletableFuture.completedFuture("PONG");
		}

		@Override
		public void close() {
			Throwable failure = this.closing;
			this.closing = null;
			if (failure != null) {
				ReflectionUtils.rethrowRuntimeException(failure);
			}
		}

	}

}
