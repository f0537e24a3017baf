package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for when an {@link Inbox} subscribes again.
 */
class InboxSubscriptionTests {

	private static final Node NODE = new Node("localhost", 1);

	private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

	private final List<Listening> ears = new CopyOnWriteArrayList<>();

	private final List<String> messages = new CopyOnWriteArrayList<>();

	private final AtomicInteger subscriptions = new AtomicInteger();

	private final Servers servers = new Servers();

	private final Inbox inbox = new Inbox(() -> "inbox", RedisEngines.patientSettings("test"), this.servers,
			this::listen, this.executor, this.messages::add, this.subscriptions::incrementAndGet, System::nanoTime);

	private volatile boolean unreachable;

	private volatile boolean closedAtOnce;

	@AfterEach
	void stop() {
		this.executor.shutdownNow();
	}

	private Ear listen(Node node, String channel, Consumer<String> listener, Runnable lost) {
		if (this.unreachable) {
			this.unreachable = false;
			throw RedisFailure.noAnswer("unreachable", null);
		}
		Listening ear = new Listening(listener, lost);
		ear.open = !this.closedAtOnce;
		this.closedAtOnce = false;
		this.ears.add(ear);
		return ear;
	}

	@Test
	void messagesArePassedOn() {
		assertThat(hears()).isTrue();
		assertThat(hears()).isTrue();
		this.ears.get(0).listener.accept("message");
		assertThat(this.messages).containsExactly("message");
		assertThat(this.ears).hasSize(1);
		assertThat(this.subscriptions).hasValue(1);
		assertThat(this.servers.doubted).isEmpty();
	}

	@Test
	void serverThatCouldNotBeReachedIsDoubtedAndTriedAgain() {
		this.unreachable = true;
		assertThat(hears()).isFalse();
		await().until(this::hears);
		assertThat(this.servers.doubted).containsExactly(NODE);
	}

	/** The connection broke before it became the present one. */
	@Test
	void subscriptionThatIsLostAtOnceIsReplaced() {
		this.closedAtOnce = true;
		assertThat(hears()).isFalse();
		assertThat(this.subscriptions).hasValue(0);
		await().until(this::hears);
		assertThat(this.ears).hasSize(2);
		assertThat(this.servers.doubted).containsExactly(NODE);
		assertThat(this.subscriptions).hasValue(1);
	}

	@Test
	void lostSubscriptionIsReplacedOnce() {
		hears();
		this.ears.get(0).lost.run();
		assertThat(hears()).isFalse();
		this.ears.get(0).lost.run();
		await().until(this::hears);
		this.ears.get(0).lost.run();
		assertThat(hears()).isTrue();
		assertThat(this.servers.doubted).containsExactly(NODE);
		assertThat(this.subscriptions).hasValue(2);
	}

	@Test
	void subscriptionAtAFormerPrimaryIsClosed() {
		this.inbox.keepOnly(Set.of());
		hears();
		this.inbox.keepOnly(Set.of(NODE));
		assertThat(this.ears).singleElement().matches(Ear::isOpen);
		this.inbox.keepOnly(Set.of(new Node("another", 1)));
		assertThat(this.ears).singleElement().matches((ear) -> !ear.isOpen());
	}

	private boolean hears() {
		return this.inbox.hears(System.nanoTime() + Duration.ofSeconds(30).toNanos());
	}

	/** A connection that breaks on command. */
	private static final class Listening implements Ear {

		private final Consumer<String> listener;

		private final Runnable lost;

		private volatile boolean open = true;

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
