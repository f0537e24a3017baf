package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.leasehold.engine.redis.connection.SubscribedConnection;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.SingleServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how an {@link Inbox} takes silence for death.
 */
class InboxTests {

	private static final Duration SILENCE = Duration.ofSeconds(2);

	private static final Duration POLL = Duration.ofMillis(50);

	private static final RedisSettings SETTINGS = new RedisSettings("test", POLL, Duration.ofSeconds(1),
			Duration.ofMillis(50), Duration.ofMillis(50), SILENCE, Duration.ofSeconds(20), Duration.ofMinutes(1), 0);

	/** Longer than the clock moves by its readings. */
	private static final Duration JUST = Duration.ofMillis(1);

	private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

	private final InterruptedClock clock = new InterruptedClock();

	private final Silent subscription = new Silent();

	private final Inbox inbox = new Inbox("in", () -> "box", SETTINGS, new SingleServer(new Node("localhost", 1)),
			(node, channel, messages, lost) -> {
				this.subscription.messages = messages;
				return this.subscription;
			}, this.executor, (message) -> {
			}, () -> {
			}, this.clock);

	@BeforeEach
	void open() {
		assertThat(isReceiving()).isTrue();
	}

	@AfterEach
	void stop() {
		this.executor.shutdownNow();
	}

	/**
	 * Another caller sends the first ping after a long silence, between a caller's
	 * reading of the clock and its check: the silence before the ping says nothing of the
	 * connection.
	 */
	@Fault(133)
	@Test
	void pingOfAnotherCallerDuringACheckDoesNotCloseTheSubscription() {
		this.clock.pass(SILENCE.multipliedBy(5));
		this.clock.afterNext(() -> assertThat(isReceiving()).isTrue());
		assertThat(isReceiving()).isTrue();
		assertThat(this.subscription.closings).hasValue(0);
		assertThat(this.subscription.pings).hasValue(1);
	}

	@Fault(133)
	@Test
	void checkOfAnotherCallerDuringAPingDoesNotCloseTheSubscription() {
		this.clock.pass(SILENCE.multipliedBy(5));
		this.subscription.duringPing = () -> assertThat(isReceiving()).isTrue();
		assertThat(isReceiving()).isTrue();
		assertThat(this.subscription.closings).hasValue(0);
		assertThat(this.subscription.pings).hasValue(1);
	}

	@Fault(133)
	@Test
	void responseToAPingDuringACheckDoesNotCloseTheSubscription() {
		this.clock.pass(SILENCE.multipliedBy(5));
		assertThat(isReceiving()).isTrue();
		this.clock.pass(SILENCE.multipliedBy(5));
		this.clock.afterNext(() -> this.subscription.pong.complete(null));
		assertThat(isReceiving()).isTrue();
		assertThat(this.subscription.closings).hasValue(0);
	}

	@Test
	void subscriptionWithoutAPongIsClosedByTheNextCheck() {
		this.clock.pass(POLL.plus(JUST));
		assertThat(isReceiving()).as("pinged").isTrue();
		assertThat(this.subscription.pings).hasValue(1);
		this.clock.pass(SILENCE.minus(JUST));
		assertThat(isReceiving()).as("not silent for too long").isTrue();
		this.clock.pass(JUST);
		assertThat(isReceiving()).as("silent for too long").isFalse();
		assertThat(this.subscription.closings).hasValue(1);
	}

	/** The pong is lost or late, but the connection is alive. */
	@Test
	void messageAfterAPingKeepsTheSubscription() {
		this.clock.pass(POLL.plus(JUST));
		assertThat(isReceiving()).as("pinged").isTrue();
		this.clock.pass(SILENCE);
		this.subscription.messages.accept("message");
		this.clock.pass(SILENCE.minus(JUST));
		assertThat(isReceiving()).as("silent since the ping, but not since the message").isTrue();
		this.clock.pass(JUST.multipliedBy(2));
		assertThat(isReceiving()).as("silent since the message").isFalse();
		assertThat(this.subscription.closings).hasValue(1);
	}

	@Test
	void subscriptionThatIsNotSilentIsNotPinged() {
		this.clock.pass(POLL.minus(JUST));
		assertThat(isReceiving()).isTrue();
		this.subscription.messages.accept("message");
		this.clock.pass(POLL.minus(JUST));
		assertThat(isReceiving()).isTrue();
		assertThat(this.subscription.pings).hasValue(0);
	}

	private boolean isReceiving() {
		return this.inbox.isReceiving(System.nanoTime() + TimeUnit.SECONDS.toNanos(30));
	}

	/** A connection whose other end says nothing. */
	private static final class Silent implements SubscribedConnection {

		private final AtomicInteger pings = new AtomicInteger();

		private final AtomicInteger closings = new AtomicInteger();

		private final CompletableFuture<Object> pong = new CompletableFuture<>();

		private Runnable duringPing = () -> {
		};

		private volatile Consumer<String> messages;

		@Override
		public boolean isOpen() {
			return this.closings.get() == 0;
		}

		@Override
		public CompletionStage<?> ping() {
			this.pings.incrementAndGet();
			this.duringPing.run();
			return this.pong;
		}

		@Override
		public void close() {
			this.closings.incrementAndGet();
		}

	}

}
