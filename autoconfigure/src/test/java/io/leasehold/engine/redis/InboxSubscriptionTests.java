package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.leasehold.engine.redis.connection.SubscribedConnection;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Topology;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for when an {@link Inbox} subscribes again.
 */
@ExtendWith(OutputCaptureExtension.class)
class InboxSubscriptionTests {

	private static final Node NODE = new Node("localhost", 1);

	private static final Duration SILENCE = RedisEngines.patientSettings("test").silenceTimeout();

	private final Patient executor = new Patient();

	private final List<Listening> connections = new CopyOnWriteArrayList<>();

	private final List<String> messages = new CopyOnWriteArrayList<>();

	private final AtomicInteger subscriptions = new AtomicInteger();

	private final Servers servers = new Servers();

	private final Inbox inbox = new Inbox("in", () -> "box", RedisEngines.patientSettings("test"), this.servers,
			this::listen, this.executor, this.messages::add, this::subscribed);

	private volatile @Nullable RedisFailure failure;

	private volatile @Nullable Runnable whenSubscribed;

	private volatile boolean closedAtOnce;

	@AfterEach
	void stop() {
		this.executor.shutdownNow();
	}

	private volatile @Nullable Error error;

	private void subscribed() {
		this.subscriptions.incrementAndGet();
		Runnable action = this.whenSubscribed;
		this.whenSubscribed = null;
		if (action != null) {
			action.run();
		}
	}

	private SubscribedConnection listen(Node node, String channel, Consumer<String> listener, Runnable lost) {
		Error thrown = this.error;
		if (thrown != null) {
			throw thrown;
		}
		RedisFailure next = this.failure;
		if (next != null) {
			this.failure = null;
			throw next;
		}
		Listening subscription = new Listening(listener, lost);
		subscription.open = !this.closedAtOnce;
		this.closedAtOnce = false;
		this.connections.add(subscription);
		return subscription;
	}

	@Test
	void messagesArePassedOn() {
		assertThat(isReceiving()).isTrue();
		assertThat(isReceiving()).isTrue();
		this.connections.get(0).listener.accept("message");
		assertThat(this.messages).containsExactly("message");
		assertThat(this.connections).hasSize(1);
		assertThat(this.subscriptions).hasValue(1);
		assertThat(this.servers.doubted).isEmpty();
	}

	@Test
	void serverThatCouldNotBeReachedIsDoubtedAndTriedAgain() throws Exception {
		this.failure = RedisFailure.noResponse("unreachable", null);
		assertThat(isReceiving()).isFalse();
		assertThat(this.executor.delays).containsExactly(250L);
		this.executor.runDelayed();
		assertThat(isReceiving()).isTrue();
		assertThat(this.servers.doubted).containsExactly(NODE);
	}

	/** An operator may grant the account access to the channel. */
	@ParameterizedTest
	@ValueSource(strings = { "NOPERM No permissions to access a channel", "ERR unknown command 'SUBSCRIBE'",
			"WRONGPASS invalid username-password pair" })
	void rejectedSubscriptionIsReportedOnceAndTriedAgainLater(String rejection, CapturedOutput output)
			throws Exception {
		this.failure = RedisFailure.refusal(rejection, null);
		assertThat(isReceiving()).isFalse();
		assertThat(output).contains("Redis rejects the subscription to 'inbox'");
		this.failure = RedisFailure.refusal(rejection, null);
		this.executor.runDelayed();
		assertThat(isReceiving()).isFalse();
		assertThat(this.executor.delays).containsExactly(10_000L, 10_000L);
		this.executor.runDelayed();
		assertThat(isReceiving()).isTrue();
		assertThat(output).containsOnlyOnce("Redis rejects the subscription to 'inbox': " + rejection + ". ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "LOADING", "READONLY" })
	void rejectionThatMayPassIsNotReported(String rejection, CapturedOutput output) throws Exception {
		this.failure = RedisFailure.refusal(rejection, null);
		assertThat(isReceiving()).isFalse();
		assertThat(this.executor.delays).containsExactly(250L);
		assertThat(output).doesNotContain("rejects");
	}

	/** As at any step of a system without a thread to spare. */
	@ParameterizedTest
	@MethodSource
	void attemptThatEndsWithAnErrorIsMadeAgain(Error thrown) throws Exception {
		this.error = thrown;
		assertThat(isReceiving()).isFalse();
		assertThat(this.executor.delays).containsExactly(250L);
		this.error = null;
		this.executor.runDelayed();
		assertThat(isReceiving()).isTrue();
	}

	static List<Error> attemptThatEndsWithAnErrorIsMadeAgain() {
		return List.of(new OutOfMemoryError("unable to create native thread"), new NoClassDefFoundError("closed jar"));
	}

	/** Such as for the same lack of memory. */
	@Test
	void subscriptionThatCannotBeClosedIsReplaced() throws Exception {
		this.whenSubscribed = () -> {
			this.connections.get(0).whenClosed = () -> {
				throw new OutOfMemoryError("Java heap space");
			};
			throw new OutOfMemoryError("Java heap space");
		};
		assertThat(isReceiving()).isFalse();
		this.executor.runDelayed();
		assertThat(isReceiving()).isTrue();
		assertThat(this.connections).hasSize(2);
	}

	/** Its message may be lost, so the next subscription is followed by another one. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void subscriptionWhoseReportFailsIsClosedAndReplacedOnce(boolean isLost) throws Exception {
		this.whenSubscribed = () -> {
			if (isLost) {
				this.connections.get(0).lost.run();
			}
			throw new OutOfMemoryError("unable to create native thread");
		};
		assertThat(isReceiving()).isFalse();
		assertThat(this.connections).singleElement().matches((subscription) -> !subscription.isOpen());
		this.executor.runDelayed();
		assertThat(isReceiving()).isTrue();
		assertThat(this.subscriptions).hasValue(2);
		assertThat(this.connections).hasSize(2);
	}

	@Test
	void memberThatPollsDoesNotSubscribe() throws Exception {
		RedisSettings some = RedisEngines.patientSettings("test");
		Inbox polls = new Inbox("in", () -> "box",
				new RedisSettings(some.namespace(), some.pollInterval(), some.grantLease(), some.commandTimeout(),
						some.minValidity(), some.silenceTimeout(), some.markerLifetime(), some.fencingRetention(), 0,
						WakeUp.POLL),
				this.servers, this::listen, this.executor, this.messages::add, this.subscriptions::incrementAndGet);
		polls.start();
		assertThat(polls.isReceiving(System.nanoTime() + Duration.ofSeconds(30).toNanos())).isFalse();
		this.executor.submit(() -> {
		}).get();
		assertThat(this.connections).isEmpty();
	}

	/** The connection broke before it became the present one. */
	@Test
	void subscriptionThatIsLostAtOnceIsReplaced() throws Exception {
		this.closedAtOnce = true;
		assertThat(isReceiving()).isFalse();
		assertThat(this.subscriptions).hasValue(0);
		this.executor.runDelayed();
		assertThat(isReceiving()).isTrue();
		assertThat(this.connections).hasSize(2);
		assertThat(this.servers.doubted).containsExactly(NODE);
		assertThat(this.subscriptions).hasValue(1);
	}

	@Test
	void lostSubscriptionIsReplacedOnce() throws Exception {
		isReceiving();
		this.connections.get(0).lost.run();
		assertThat(isReceiving()).isFalse();
		this.connections.get(0).lost.run();
		this.executor.runDelayed();
		assertThat(isReceiving()).isTrue();
		this.connections.get(0).lost.run();
		assertThat(isReceiving()).isTrue();
		assertThat(this.executor.delayed).isEmpty();
		assertThat(this.servers.doubted).containsExactly(NODE);
		assertThat(this.subscriptions).hasValue(2);
	}

	@Test
	void subscriptionAtAFormerPrimaryIsClosed() {
		this.inbox.keepOnly(Set.of());
		isReceiving();
		this.inbox.keepOnly(Set.of(NODE));
		assertThat(this.connections).singleElement().matches(SubscribedConnection::isOpen);
		this.inbox.keepOnly(Set.of(new Node("another", 1)));
		assertThat(this.connections).singleElement().matches((subscription) -> !subscription.isOpen());
	}

	private boolean isReceiving() {
		return this.inbox.isReceiving(System.nanoTime() + Duration.ofSeconds(30).toNanos());
	}

	/** A single thread that runs attempts that are delayed only on command. */
	private static final class Patient extends ScheduledThreadPoolExecutor {

		private final Queue<Runnable> delayed = new LinkedBlockingQueue<>();

		private final Queue<Long> delays = new LinkedBlockingQueue<>();

		Patient() {
			super(1);
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
			if (delay <= 0 || unit.toNanos(delay) == SILENCE.toNanos()) {
				return super.schedule(task, delay, unit);
			}
			this.delayed.add(task);
			this.delays.add(unit.toMillis(delay));
			return super.schedule(() -> {
			}, 0, unit);
		}

		/** Run the one task that is delayed, and wait until it has ended. */
		void runDelayed() throws Exception {
			Runnable task = this.delayed.remove();
			assertThat(this.delayed).isEmpty();
			submit(task).get(30, TimeUnit.SECONDS);
		}

	}

	/** A connection that breaks on command. */
	private static final class Listening implements SubscribedConnection {

		private final Consumer<String> listener;

		private final Runnable lost;

		private volatile boolean open = true;

		private volatile Runnable whenClosed = () -> {
		};

		Listening(Consumer<String> listener, Runnable lost) {
			this.listener = listener;
			this.lost = lost;
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
			this.open = false;
			this.whenClosed.run();
		}

	}

	/** A primary that is only known to those who wait for it. */
	private static final class Servers implements Topology {

		private final List<Node> doubted = new CopyOnWriteArrayList<>();

		@Override
		public CompletableFuture<Node> primaryOf(String lock) {
			return anyPrimary();
		}

		@Override
		public CompletableFuture<Node> anyPrimary() {
			return new CompletableFuture<>() {

				@Override
				public Node get(long timeout, TimeUnit unit) throws TimeoutException {
					if (timeout <= 0) {
						throw new TimeoutException();
					}
					return NODE;
				}

			};
		}

		@Override
		public void doubt(Node primary) {
			this.doubted.add(primary);
		}

	}

}
