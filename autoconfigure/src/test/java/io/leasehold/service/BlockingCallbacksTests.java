package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.Fault;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Code of callers that blocks, in completions of futures and in actions on losses.
 */
class BlockingCallbacksTests {

	private static final LockOptions BRIEFLY = ServiceOverThreads.OPTIONS.toBuilder()
		.waitTime(Duration.ofMillis(500))
		.build();

	/** Threads of a closed service may end later. */
	private final String engine = "blocking-" + UUID.randomUUID();

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final ServiceOverThreads service = new ServiceOverThreads(this.store, new EngineThreads(this.engine));

	private final ServiceOverThreads other = new ServiceOverThreads(this.store, new EngineThreads("other"));

	private final CountDownLatch free = new CountDownLatch(1);

	@AfterEach
	void close() {
		this.free.countDown();
		this.service.close();
		this.other.close();
	}

	@Fault(114)
	@Test
	void manyWaitsThatEndAtOnceTakeFewThreads() {
		HeldLock held = this.other.acquire("a");
		List<CompletableFuture<HeldLock>> waits = IntStream.range(0, 2000)
			.mapToObj((i) -> this.service.acquireAsync("a", BRIEFLY))
			.toList();
		assertThat(waits).allSatisfy((wait) -> assertThat(wait).failsWithin(30, TimeUnit.SECONDS)
			.withThrowableThat()
			.withCauseInstanceOf(LockBusyException.class));
		assertThat(ServiceOverThreads.count("leasehold-" + this.engine))
			.isLessThanOrEqualTo(2 + 8 + 8 + 1 + 16 + 16 + 1);
		held.close();
	}

	/** More than there are threads for at first. */
	@Fault(113)
	@Test
	void completionsMayWaitForOthers() {
		HeldLock held = this.service.acquire("a");
		List<CompletableFuture<Void>> done = new ArrayList<>();
		CountDownLatch waiting = new CountDownLatch(40);
		for (int i = 0; i < 40; i++) {
			done.add(this.service.acquireAsync("a", BRIEFLY).handle((lock, failure) -> {
				waiting.countDown();
				await(waiting);
				return null;
			}));
		}
		assertThat(CompletableFuture.allOf(done.toArray(CompletableFuture[]::new))).succeedsWithin(60,
				TimeUnit.SECONDS);
		held.close();
	}

	/**
	 * As many as there are threads for at most: completions of others are late, not lost.
	 */
	@Fault(113)
	@Test
	void blockedCompletionsStopNoRenewalNoReleaseNoLossAndNoWait() throws Exception {
		HeldLock busy = this.other.acquire("busy");
		// Without a renewal, its lease ends while these threads start
		HeldLock kept = this.service.acquire("kept");
		HeldLock lost = this.service.acquire("lost");
		for (int i = 0; i < 256; i++) {
			this.service.acquireAsync("busy", BRIEFLY).handle((lock, failure) -> await(this.free));
		}
		Awaitility.await()
			.until(() -> !this.service.findings().isEmpty()
					|| ServiceOverThreads.count("leasehold-%s-caller".formatted(this.engine)) == 256);
		CompletableFuture<HeldLock> late = this.service.acquireAsync("busy", BRIEFLY);
		CompletableFuture<HeldLock> granted = this.service.acquireAsync("granted",
				ServiceOverThreads.OPTIONS.toBuilder().waitTime(Duration.ofMinutes(1)).build());
		Awaitility.await().until(() -> this.service.findings().toString().contains("code of callers blocks"));
		Awaitility.await()
			.until(() -> this.service.locks.gates.all()
				.stream()
				.noneMatch((gate) -> gate.key().value().equals("busy")));
		assertThat(late).isNotDone();
		CompletableFuture<LossCause> notified = new CompletableFuture<>();
		lost.onLost((loss) -> notified.complete(loss.getLossCause()));
		this.service.locks.forceRelease(new LockKey("lost"));
		assertThat(notified).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo(LossCause.NOT_OWNER);
		assertThat(kept.isValid()).isTrue();
		this.service.acquire("free").close();
		Awaitility.await().until(() -> this.other.locks.engine.inspect(new LockKey("granted")).isEmpty());
		this.free.countDown();
		assertThat(late).failsWithin(30, TimeUnit.SECONDS);
		granted.get(30, TimeUnit.SECONDS).close();
		Awaitility.await().until(() -> !this.service.findings().toString().contains("code of callers blocks"));
		kept.close();
		busy.close();
	}

	@Fault(113)
	@Test
	void blockedActionsOnLossesStopNoCompletion() throws Exception {
		CountDownLatch blocked = new CountDownLatch(16);
		for (int i = 0; i < 32; i++) {
			this.service.acquire("lost" + i).onLost((loss) -> {
				blocked.countDown();
				await(this.free);
			});
			this.service.locks.forceRelease(new LockKey("lost" + i));
		}
		assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
		this.service.locks.closer.closeAsync(this.service.acquireAsync("a").get(30, TimeUnit.SECONDS))
			.get(30, TimeUnit.SECONDS);
	}

	private static Void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return null;
	}

}
