package io.leasehold.engine.redlock;

import java.util.concurrent.ConcurrentHashMap;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.leasehold.engine.redis.connection.Connection;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.SubscribedConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ReleaseListener}, through {@link WakeUps}.
 */
class ReleaseListenerTests {

	private final RedlockSettings settings = RedlockOpener.settings("ns", Duration.ZERO, Duration.ofMillis(10));

	private final Subscriber subscriber = new Subscriber();

	/** Whether the system has no thread left. */
	private volatile boolean exhausted;

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(3, (task) -> {
		if (this.exhausted) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		return new Thread(task);
	});

	private final Master master = new Master(new Node("m0", 1), this.subscriber, () -> new Login(null, null, 0),
			this.settings, this.executor, new ConcurrentHashMap<>());

	private final WakeUps wakeUps = new WakeUps(new Masters(List.of(this.master)), this.settings, this.executor);

	private final LiveClaim claim = new LiveClaim(new ScriptedMasters(1).claim("k", true), "ns", false);

	@AfterEach
	void stop() {
		this.executor.shutdownNow();
	}

	/** The claim polls until then. */
	@Test
	void subscriptionBeginsWithTheNextThreadIfThereIsNone() {
		this.exhausted = true;
		assertThatCode(this::listen).doesNotThrowAnyException();
		assertThatCode(() -> this.wakeUps.requesting(this.claim)).doesNotThrowAnyException();
		this.exhausted = false;
		this.executor.execute(() -> {
		});
		await().until(() -> this.subscriber.subscriptions.get() == 1);
	}

	@Test
	void requestIsPossibleThoughNoThreadIsLeftToCheckTheSubscription() {
		listen();
		await().until(() -> this.executor.getCompletedTaskCount() == 2); // with the first
																			// check
		this.exhausted = true;
		assertThatCode(() -> this.wakeUps.requesting(this.claim)).doesNotThrowAnyException();
		assertThat(this.subscriber.pings).hasValue(2);
	}

	private void listen() {
		this.wakeUps.listen(this.claim, (signal) -> {
		});
	}

	/** Connector whose subscriptions are never lost. */
	private static final class Subscriber implements Connector, SubscribedConnection {

		private final AtomicInteger subscriptions = new AtomicInteger();

		private final AtomicInteger pings = new AtomicInteger();

		@Override
		public Connection connect(Node node, Login login) {
			throw new UnsupportedOperationException();
		}

		@Override
		public SubscribedConnection listen(Node node, Login login, String channel, Consumer<String> messages,
				Runnable lost) {
			this.subscriptions.incrementAndGet();
			return this;
		}

		@Override
		public boolean isOpen() {
			return true;
		}

		@Override
		public CompletionStage<?> ping() {
			this.pings.incrementAndGet();
			return CompletableFuture.completedFuture("PONG");
		}

		@Override
		public void close() {
		}

	}

}
