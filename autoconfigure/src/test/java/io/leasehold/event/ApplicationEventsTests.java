package io.leasehold.event;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.leasehold.LockAcquisitionFailedEvent;
import io.leasehold.LockEngineDownEvent;
import io.leasehold.LockEngineUpEvent;
import io.leasehold.LockKey;
import io.leasehold.LockLostEvent;
import io.leasehold.LockSlowHoldEvent;
import io.leasehold.LossCause;
import io.leasehold.test.contract.Fault;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class ApplicationEventsTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final LockEvent LOST = new LockEvent.HoldLost("redis", "pay", KEY, 64, LossCause.EXPIRED);

	private static final LockLostEvent TOLD = new LockLostEvent("redis", "pay", "order:42", 64, LossCause.EXPIRED);

	private static final LockEvent BUSY = new LockEvent.AcquireEnded("redis", "pay", KEY, AcquireOutcome.BUSY, true,
			5_000_000, null);

	private final List<Object> published = new CopyOnWriteArrayList<>();

	private ApplicationEvents events = new ApplicationEvents(this.published::add);

	@AfterEach
	void close() {
		this.events.close();
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = { "ACQUIRED", "REENTERED", "NOT_WANTED" })
	void failedAcquisitionIsPublishedWithItsReason(AcquireOutcome outcome) {
		this.events.onEvent(new LockEvent.AcquireEnded("redis", "pay", KEY, outcome, true, 5_000_000, null));
		awaitPublished(new LockAcquisitionFailedEvent("redis", "pay", "order:42",
				LockAcquisitionFailedEvent.Reason.valueOf(outcome.name()), Duration.ofMillis(5)));
	}

	@Test
	void acquisitionWithoutAKeyIsPublished() {
		this.events.onEvent(new LockEvent.AcquireEnded("redis", "pay", null, AcquireOutcome.ERROR, false, 0, null));
		awaitPublished(new LockAcquisitionFailedEvent("redis", "pay", null, LockAcquisitionFailedEvent.Reason.ERROR,
				Duration.ZERO));
	}

	@Test
	void lossIsPublished() {
		this.events.onEvent(LOST);
		awaitPublished(TOLD);
	}

	@Test
	void slowHoldIsPublished() {
		this.events.onEvent(new LockEvent.HoldSlow("redis", "pay", KEY, 64, 5_000_000));
		awaitPublished(new LockSlowHoldEvent("redis", "pay", "order:42", 64, Duration.ofMillis(5)));
	}

	@Test
	void outageIsPublishedAtItsBeginAndItsEnd() {
		IllegalStateException failure = new IllegalStateException("store");
		this.events.onEvent(new LockEvent.EngineDown("redis", failure));
		awaitPublished(new LockEngineDownEvent("redis", failure));
		this.published.clear();
		this.events.onEvent(new LockEvent.EngineUp("redis", 5_000_000));
		awaitPublished(new LockEngineUpEvent("redis", Duration.ofMillis(5)));
	}

	@Test
	void whatGoesWellIsNotPublished() {
		this.events.onEvent(new LockEvent.WaitStarted("redis", "pay", KEY));
		this.events.onEvent(new LockEvent.AcquireEnded("redis", "pay", KEY, AcquireOutcome.ACQUIRED, true, 1, null));
		this.events.onEvent(new LockEvent.AcquireEnded("redis", "pay", KEY, AcquireOutcome.REENTERED, true, 1, null));
		this.events.onEvent(new LockEvent.HoldEnded("redis", "pay", KEY, 64, 1));
		this.events.onEvent(LOST);
		awaitPublished(TOLD);
	}

	@Test
	void listenerThatFailsIsReportedAndTheNextEventPublished(CapturedOutput output) {
		this.events.close();
		this.events = new ApplicationEvents((event) -> {
			this.published.add(event);
			throw new IllegalStateException("listener");
		});
		this.events.onEvent(LOST);
		this.events.onEvent(LOST);
		Awaitility.await().until(() -> this.published.size() == 2);
		assertThat(output).contains("A listener failed on LockLostEvent");
	}

	/** Failures that a blocked listener cannot take are dropped, with one warning. */
	@Fault(57)
	@Test
	void listenerThatBlocksDelaysNoCaller(CapturedOutput output) throws Exception {
		CountDownLatch free = blockedListener();
		for (int i = 0; i < 1100; i++) {
			this.events.onEvent(BUSY);
		}
		assertThat(output).containsOnlyOnce("Lock events were dropped")
			.contains("1 LockAcquisitionFailedEvent")
			.contains("leasehold-application-event");
		assertThat(this.events.dropped()).isEqualTo(100);
		free.countDown();
		Awaitility.await().until(() -> this.published.size() == 1001);
	}

	/** Shown where callers spin on a busy key while locks are lost. */
	@Fault(115)
	@Test
	void lossIsPublishedThoughFailuresFillTheirQueue() throws Exception {
		CountDownLatch free = blockedListener();
		List<LockLostEvent> lost = new ArrayList<>();
		for (int token = 0; token < 50; token++) {
			for (int i = 0; i < 100; i++) {
				this.events.onEvent(BUSY);
			}
			this.events.onEvent(new LockEvent.HoldLost("redis", "pay", KEY, token, LossCause.EXPIRED));
			lost.add(new LockLostEvent("redis", "pay", "order:42", token, LossCause.EXPIRED));
		}
		free.countDown();
		Awaitility.await().until(() -> this.published.size() == 1 + 50 + 1000);
		assertThat(this.published.subList(1, 51)).isEqualTo(lost);
		assertThat(this.events.dropped()).isEqualTo(50 * 100 - 1000);
	}

	/** A listener that blocks on its first event, a loss, and takes all the others. */
	private CountDownLatch blockedListener() throws InterruptedException {
		CountDownLatch blocked = new CountDownLatch(1);
		CountDownLatch free = new CountDownLatch(1);
		this.events.close();
		this.events = new ApplicationEvents((event) -> {
			blocked.countDown();
			await(free);
			this.published.add(event);
		});
		this.events.onEvent(LOST);
		assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
		return free;
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void awaitPublished(Object... expected) {
		Awaitility.await().until(() -> !this.published.isEmpty());
		assertThat(this.published).containsExactly(expected);
	}

}
