package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.LockEvent;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Everything for which a task is handed over to a thread, once, on keys of one store that
 * two processes share. In the end every key is usable, every future completed, and what
 * is still held was renewed.
 */
final class HandOverScenario {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final LockOptions OPTIONS = new LockOptions("test", "local", LEASE, Duration.ofSeconds(20),
			Duration.ZERO, LockOptions.UNLIMITED);

	private static final LockOptions BRIEFLY = OPTIONS.toBuilder().waitTime(Duration.ofMillis(100)).build();

	private static final List<String> KEYS = List.of("blocking", "async", "awaited", "busy", "busy:async", "cancelled",
			"both:1", "both:2", "pushed", "kept short", "lost", "unknown");

	private final VirtualClock clock = new VirtualClock();

	private final LocalLockEngine store = new LocalLockEngine(this.clock);

	private final AtomicBoolean responses = new AtomicBoolean();

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final EngineLocks here;

	private final EngineLocks there = locks(new EngineThreads("there"), event -> {
	});

	HandOverScenario(EngineThreads threads) {
		this.here = locks(threads, this.events::add);
	}

	/**
	 * Do all of it.
	 * @param started run once the first lock is held
	 */
	void run(Runnable started) throws Exception {
		HeldLock kept = acquire("kept");
		started.run();
		HeldLock lost = acquire("lost");
		CompletableFuture<LockLostException> notified = new CompletableFuture<>();
		lost.onLost(notified::complete);
		this.store.lose(new LockKey("lost"));
		blocking();
		async();
		waits();
		timesOut();
		severalKeys();
		pushedGrant();
		minHold();
		closeInTheBackground();
		this.clock.advance(LEASE.dividedBy(3));
		assertThat(notified.get(20, TimeUnit.SECONDS)).isNotNull();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.events).hasAtLeastOneElementOfType(LockEvent.HoldLost.class));
		for (String key : KEYS) {
			acquire(key).close();
			closeAsync(acquireAsync(key, OPTIONS).get(20, TimeUnit.SECONDS));
		}
		for (int i = 0; i < 3; i++) {
			this.clock.advance(LEASE.dividedBy(3));
			Awaitility.await().until(() -> kept.remaining().compareTo(LEASE.multipliedBy(3).dividedBy(4)) > 0);
		}
		assertThat(kept.isValid()).isTrue();
		assertThat(this.there.isCurrent(new LockKey("kept"), kept.fencingToken())).isTrue();
		kept.close();
		Awaitility.await().until(() -> this.here.gates.all().isEmpty() && this.store.size() == 0);
		assertThat(this.here.findings()).isEmpty();
		this.here.close();
		this.there.close();
	}

	private void blocking() {
		acquire("blocking").close();
	}

	private void async() throws Exception {
		closeAsync(acquireAsync("async", OPTIONS).get(20, TimeUnit.SECONDS));
		HeldLock held = acquire("cancelled");
		CompletableFuture<HeldLock> cancelled = acquireAsync("cancelled", OPTIONS);
		cancelled.cancel(false);
		held.close();
	}

	/** For the other process, then for a caller of this one. */
	private void waits() throws Exception {
		HeldLock others = elsewhere("awaited");
		CompletableFuture<HeldLock> first = acquireAsync("awaited", OPTIONS);
		CompletableFuture<HeldLock> second = CompletableFuture.supplyAsync(() -> acquire("awaited"));
		others.close();
		CompletableFuture<Object> winner = CompletableFuture.anyOf(first, second);
		((HeldLock) winner.get(20, TimeUnit.SECONDS)).close();
		HeldLock last = first.get(20, TimeUnit.SECONDS);
		last.close();
		second.get(20, TimeUnit.SECONDS).close();
	}

	private void timesOut() {
		HeldLock others = elsewhere("busy");
		HeldLock othersToo = elsewhere("busy:async");
		List<CompletableFuture<HeldLock>> results = List.of(acquireAsync("busy:async", BRIEFLY),
				acquireAsync("busy:async", BRIEFLY),
				acquireAsync("busy:async", OPTIONS.toBuilder().waitTime(Duration.ZERO).build()));
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.here.acquirer.acquire(new LockKey("busy"), BRIEFLY, false, Acquirer.NEVER_BYPASSED));
		for (CompletableFuture<HeldLock> result : results) {
			assertThat(result).failsWithin(20, TimeUnit.SECONDS)
				.withThrowableThat()
				.withCauseInstanceOf(LockBusyException.class);
		}
		others.close();
		othersToo.close();
	}

	/** The second key is busy, so that the first is given back. */
	private void severalKeys() {
		HeldLock others = elsewhere("both:2");
		LockKeys both = LockKeys.of(List.of("both:1", "both:2"));
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.here.acquireAll(both, BRIEFLY, Acquirer.NEVER_BYPASSED));
		assertThat(this.here.acquireAllAsync(both, BRIEFLY, List.of(), Acquirer.NEVER_BYPASSED))
			.failsWithin(20, TimeUnit.SECONDS)
			.withThrowableThat()
			.withCauseInstanceOf(LockBusyException.class);
		others.close();
	}

	/**
	 * The first one is closed before its short lease was extended, the second one held.
	 */
	private void pushedGrant() throws Exception {
		CompletableFuture<HeldLock> first = acquireAsync("pushed", OPTIONS);
		first.get(20, TimeUnit.SECONDS).close();
		HeldLock second = acquire("pushed");
		CompletableFuture<HeldLock> next = acquireAsync("pushed", OPTIONS);
		second.close();
		HeldLock passed = next.get(20, TimeUnit.SECONDS);
		Awaitility.await().until(() -> passed.remaining().compareTo(LEASE.dividedBy(2)) > 0);
		passed.close();
	}

	private void minHold() throws Exception {
		LockOptions kept = OPTIONS.toBuilder().minHold(Duration.ofMillis(50)).build();
		closeAsync(acquireAsync("kept short", kept).get(20, TimeUnit.SECONDS));
		this.here.acquirer.acquire(new LockKey("kept short"), kept, false, Acquirer.NEVER_BYPASSED).close();
	}

	/**
	 * The store's response is lost, so that it may have granted what nobody waits for.
	 */
	private void closeInTheBackground() {
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(
				() -> this.here.acquirer.acquire(new LockKey("unknown"), BRIEFLY, false, Acquirer.NEVER_BYPASSED));
		this.responses.set(true);
	}

	private HeldLock acquire(String key) {
		return this.here.acquirer.acquire(new LockKey(key), OPTIONS, false, Acquirer.NEVER_BYPASSED);
	}

	private CompletableFuture<HeldLock> acquireAsync(String key, LockOptions options) {
		return this.here.acquireAllAsync(LockKeys.of(new LockKey(key)), options, List.of(), Acquirer.NEVER_BYPASSED);
	}

	private void closeAsync(HeldLock lock) throws Exception {
		this.here.closer.closeAsync(lock).get(20, TimeUnit.SECONDS);
	}

	private HeldLock elsewhere(String key) {
		return this.there.acquirer.acquire(new LockKey(key), OPTIONS, false, Acquirer.NEVER_BYPASSED);
	}

	private EngineLocks locks(EngineThreads threads, Consumer<LockEvent> listener) {
		return new EngineLocks(new ServiceSettings(OPTIONS, OnLost.THROW, 63, Duration.ofSeconds(5)),
				new Store(this.store), Member.of("test"), this.clock, List.of(listener::accept),
				ReleaseTiming.IMMEDIATE, threads, BlockingWaiter::new, new Deadlocks(DeadlockPolicy.WARN));
	}

	/**
	 * Pushes grants of one key with a short lease, and loses the responses for another.
	 */
	private final class Store extends DelegatingEngine {

		Store(LocalLockEngine engine) {
			super(engine);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			if (claim.key().value().equals("pushed")) {
				return new AcquisitionOutcome.Busy(Duration.ofSeconds(1));
			}
			AcquisitionOutcome attempt = super.tryAcquire(claim);
			if (claim.key().value().equals("unknown") && !HandOverScenario.this.responses.get()) {
				throw new LockEngineException(claim.key(), "No response", null);
			}
			return attempt;
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
			if (!claim.key().value().equals("pushed")) {
				return super.subscribe(claim, listener);
			}
			if (super.tryAcquire(claim) instanceof AcquisitionOutcome.Granted granted) {
				listener.accept(new Signal.Pushed(new AcquisitionOutcome.Granted(granted.number(),
						HandOverScenario.this.clock.nanoTime() + LEASE.dividedBy(3).toNanos())));
			}
			return Subscription.POLLING;
		}

	}

}
