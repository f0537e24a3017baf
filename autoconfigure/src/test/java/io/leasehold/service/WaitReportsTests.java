package io.leasehold.service;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.leasehold.HeldLock;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.event.LockEvent;
import io.leasehold.test.contract.DelegatingEngine;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Events of an async caller whose wait ends while the thread that began it is busy.
 */
class WaitReportsTests extends LockServiceFixture {

	/** Otherwise the number of waiting callers would fall below zero. */
	@Test
	void endOfAWaitIsReportedAfterItsBegin() {
		HeldLock held = this.there.acquire("a");
		LockEngine engine = new DelegatingEngine(this.store) {
			@Override
			public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
				Subscription subscription = super.subscribe(claim, listener);
				held.close();
				Awaitility.await().until(() -> hasEnded());
				return subscription;
			}
		};
		this.events.clear();
		try (LockService service = service(engine)) {
			CompletableFuture<HeldLock> waiting = service.acquireAsync("a");
			assertThat(waiting).succeedsWithin(Duration.ofSeconds(30));
			waiting.join().close();
			assertThat(this.events)
				.filteredOn((event) -> event instanceof LockEvent.WaitStarted
						|| event instanceof LockEvent.AcquireEnded ended && ended.waited())
				.extracting((event) -> event.getClass().getSimpleName())
				.containsExactly("WaitStarted", "AcquireEnded");
		}
	}

	private boolean hasEnded() {
		return this.events.stream()
			.anyMatch((event) -> event instanceof LockEvent.AcquireEnded ended && ended.waited());
	}

}
