package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Parallel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how an {@link Inbox} takes silence for death.
 */
class InboxTests {

	private static final Duration SILENCE = Duration.ofSeconds(2);

	private static final int CALLERS = 3;

	private static final Duration POLL = Duration.ofMillis(50);

	private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

	@AfterEach
	void stop() {
		this.executor.shutdownNow();
	}

	/**
	 * The first ping after a long silence and the checks of other callers come at the
	 * same time: the silence before the ping says nothing of the connection.
	 */
	@Fault(133)
	@Test
	void callersThatComeTogetherAfterAPauseDoNotCloseTheSubscription() throws Exception {
		List<Silent> ears = new ArrayList<>();
		List<Inbox> inboxes = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			Silent ear = new Silent();
			ears.add(ear);
			inboxes.add(open(ear));
		}
		pause(SILENCE);
		AtomicInteger turn = new AtomicInteger(-1);
		CyclicBarrier together = new CyclicBarrier(CALLERS, turn::incrementAndGet);
		Callable<Void> caller = () -> {
			for (int i = 0; i < inboxes.size(); i++) {
				together.await();
				while (turn.get() < i) {
					Thread.onSpinWait();
				}
				inboxes.get(i).hears(System.nanoTime());
			}
			return null;
		};
		Parallel.run(Collections.nCopies(CALLERS, caller));
		assertThat(ears).allSatisfy((ear) -> {
			assertThat(ear.closings).as("closings").hasValue(0);
			assertThat(ear.pings).as("pings").hasValue(1);
		});
	}

	@Test
	void subscriptionThatDoesNotAnswerItsPingIsClosedByTheNextCheck() {
		Silent ear = new Silent();
		Inbox inbox = open(ear);
		pause(POLL);
		assertThat(inbox.hears(System.nanoTime())).as("pinged").isTrue();
		pause(SILENCE);
		assertThat(inbox.hears(System.nanoTime())).as("silent for too long").isFalse();
		assertThat(ear.closings).hasValue(1);
	}

	private Inbox open(Silent ear) {
		RedisSettings settings = new RedisSettings("test", POLL, Duration.ofSeconds(1), Duration.ofMillis(50),
				Duration.ofMillis(50), SILENCE, Duration.ofSeconds(20), Duration.ofMinutes(1), 0);
		Inbox inbox = new Inbox(() -> "inbox", settings, new SingleServer(new Node("localhost", 1)),
				(node, channel, messages, lost) -> ear, this.executor, (message) -> {
				}, () -> {
				});
		assertThat(inbox.hears(System.nanoTime() + TimeUnit.SECONDS.toNanos(30))).isTrue();
		return inbox;
	}

	private static void pause(Duration duration) {
		long begin = System.nanoTime();
		while (System.nanoTime() - begin <= duration.toNanos()) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
		}
	}

	/** A connection whose other end says nothing. */
	private static final class Silent implements Ear {

		private final AtomicInteger pings = new AtomicInteger();

		private final AtomicInteger closings = new AtomicInteger();

		@Override
		public boolean isOpen() {
			return this.closings.get() == 0;
		}

		@Override
		public CompletionStage<?> ping() {
			this.pings.incrementAndGet();
			return new CompletableFuture<>();
		}

		@Override
		public void close() {
			this.closings.incrementAndGet();
		}

	}

}
