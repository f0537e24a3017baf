package io.leasehold.service;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import io.leasehold.LockOptions;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RevocationListener;
import io.leasehold.engine.support.PlannedOnce;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import io.leasehold.service.gate.FencingTokens;
import io.leasehold.service.gate.GateRules;
import io.leasehold.service.gate.KeyGate;
import io.leasehold.service.gate.Survey;
import org.jspecify.annotations.Nullable;

/**
 * Locks of one engine inside this process. It creates and connects its components.
 * Thread-safe.
 */
final class EngineLocks implements AutoCloseable {

	final LockEngine engine;

	private final MonotonicClock clock;

	private final EngineThreads threads;

	private final Events events;

	final Gates gates;

	private final GateDriver driver;

	private final Holds holds;

	final LockCloser closer;

	private final HolderLookup holders;

	final Acquirer acquirer;

	final PermitCollector permits;

	final StoreProbe probe;

	final KeptLocks kept;

	final TransactionScopedLocks inTransactions;

	private final ShutdownLog shutdown;

	final StoreOutage outage;

	EngineLocks(ServiceSettings settings, LockEngine engine, Member member, MonotonicClock clock,
			List<? extends LockEventListener> listeners, ReleaseTiming timing, EngineThreads threads,
			BlockingWaiter.Factory waiters, Deadlocks deadlocks) {
		this.engine = engine;
		this.clock = clock;
		this.threads = threads;
		this.events = new Events(listeners, threads);
		this.closer = new LockCloser(threads);
		this.outage = new StoreOutage(engine, clock, this::describe, this.events, this::outageBegan);
		GateRules rules = new GateRules(engine, member, clock, threads.random(), settings.maxHandoffs(),
				settings.maxHandoffTime(), this.outage::isSilentSince);
		this.shutdown = new ShutdownLog(engine.name(), clock, this::describe);
		ClaimCloser claims = new ClaimCloser(engine, clock, threads, this.outage, this::checkIdle);
		Duration lease = rules.atLeastMinLease(settings.defaults().lease());
		this.probe = new StoreProbe(engine, member, lease, clock, claims, this.outage, threads, new PlannedOnce());
		this.kept = new KeptLocks(engine, member, lease, clock, claims);
		this.gates = new Gates(rules, claims);
		Watchdog watchdog = new Watchdog(engine, rules, clock, threads, this.gates.all(), this::holds);
		this.driver = new GateDriver(engine, clock, threads, claims, this.gates, watchdog, this.outage,
				new Returns(threads.releases()));
		this.holders = new HolderLookup(engine, settings.holderReport());
		Reports reports = new Reports(engine.name(), threads, this.events, this.outage,
				new SlowWaits(engine.name(), settings.slowWait(), clock, threads, this.holders, this::describe),
				watchdog::standstill);
		this.holds = new Holds(engine, clock, this.events, reports, claims, this.driver, this.outage, settings, timing);
		this.acquirer = new Acquirer(clock, threads, waiters, this.gates, this.driver, this.holds, this.closer,
				this.holders, timing, reports, deadlocks);
		this.inTransactions = new TransactionScopedLocks(engine, clock, this.events, timing);
		this.permits = new PermitCollector(engine.name(), clock, this.acquirer, this.acquirer.releasingAtOnce(),
				this.holders, this.closer);
		engine.reportRevocations(new Revocations());
	}

	Holds holds() {
		return this.holds;
	}

	/** Acquire the locks of several keys one after the other, within one wait time. */
	HeldLock acquireAll(LockKeys keys, LockOptions options, Predicate<LockException> bypassed) {
		long start = this.clock.nanoTime();
		try {
			return HeldLocks.take(keys.all(), (key) -> this.acquirer.acquire(key, this.acquirer.rest(options, start),
					false, bypassed.or(Acquirer.BUSY_BYPASSED)), this.closer::discard);
		}
		catch (LockBusyException ex) {
			throw bypassed.test(ex) ? ex : this.holders.explain(ex, options, ThreadLocks.outer(), "");
		}
	}

	/** Acquire locks without blocking, or re-enter those of the given outer locks. */
	CompletableFuture<HeldLock> acquireAllAsync(LockKeys keys, LockOptions options, List<HeldLock> outer,
			Predicate<LockException> bypassed) {
		LockEngineException failure = this.acquirer.start(keys.all().get(0));
		if (failure != null) {
			publishEnd(options, AcquireOutcome.UNAVAILABLE, failure);
			return CompletableFuture.failedFuture(failure);
		}
		long start = this.clock.nanoTime();
		LockKey only = keys.single();
		if (only != null) {
			return this.acquirer.acquireAsync(only, options, this.acquirer.caller(outer, bypassed));
		}
		Iterator<AsyncWaiter.Caller> callers = keys.all()
			.stream()
			.map((key) -> this.acquirer.caller(outer, bypassed.or(Acquirer.BUSY_BYPASSED)))
			.toList()
			.iterator();
		return AsyncHeldLocks.take(keys,
				(key) -> this.acquirer.acquireAsync(key, this.acquirer.rest(options, start), callers.next()),
				this.closer::discardAsync, (ex) -> (ex instanceof LockBusyException busy && !bypassed.test(busy))
						? this.holders.explain(busy, options, outer, "") : ex,
				this.threads.callers());
	}

	/** Publish the end of an acquisition that did not reach a gate. */
	void publishEnd(LockOptions options, AcquireOutcome outcome, @Nullable Exception failure) {
		this.events
			.publish(new LockEvent.AcquireEnded(this.engine.name(), options.name(), null, outcome, false, 0, failure));
	}

	/** Return whether the store still holds the grant of a fencing token. */
	boolean isCurrent(LockKey key, long token) {
		return this.engine.inspect(key)
			.stream()
			.anyMatch((holder) -> FencingTokens.isOf(token, holder.number(), holder.reserved()));
	}

	/** Release a key by force, and notify its holders in this process at once. */
	List<Holder> forceRelease(LockKey key) {
		List<Holder> lost = this.engine.forceRelease(key);
		Set<Long> numbers = lost.stream().map(Holder::number).collect(Collectors.toSet());
		KeyGate gate = this.gates.find(key);
		if (gate != null && !lost.isEmpty()) {
			loseByForce(gate, numbers, (claim) -> true);
		}
		return lost;
	}

	/** Lose grants: one that may be on its way, one in use or one parked. */
	private void loseByForce(KeyGate gate, Set<Long> numbers, Predicate<Claim> of) {
		gate.revoked(numbers, of).forEach((hold) -> this.holds.loseByForce(gate, hold));
	}

	List<String> findings() {
		return this.threads.isCrowded() ? List.of(EngineThreads.CROWDED) : List.of();
	}

	long droppedEvents() {
		return this.threads.events().dropped();
	}

	void describe(Survey survey) {
		this.gates.all().forEach((gate) -> survey.add(gate.describe()));
	}

	void describe(Survey survey, LockKey key) {
		this.gates.ifUsed(key, (gate) -> survey.add(gate.describe()));
	}

	/** Notify holders of a shutdown. */
	void stopping() {
		this.holds.stopping(true);
		this.shutdown.begins();
	}

	/** Reject new callers, and run the action once nothing is held. */
	void drain(Runnable action) {
		refuse(() -> {
			this.shutdown.ended();
			action.run();
		});
		this.shutdown.waits();
		checkIdle();
	}

	private void refuse(Runnable action) {
		this.holds.stopping(true);
		this.gates.drain(action);
		for (KeyGate gate : this.gates.all()) {
			this.driver.carryOut(gate, gate.drained());
		}
	}

	/** Accept callers again. Remaining holds belong to a former member and are lost. */
	void resume() {
		loseAll();
		this.holds.stopping(false);
		this.gates.resume();
	}

	private void outageBegan() {
		this.probe.repeat();
	}

	private void checkIdle() {
		this.gates.checkIdle();
	}

	@Override
	public void close() {
		refuse(() -> {
		});
		this.shutdown.leaves();
		loseAll();
		this.threads.close();
	}

	private void loseAll() {
		this.gates.all().forEach(this.holds::loseAll);
	}

	/** Receiver of the engine's reports, which must not block its threads. */
	private final class Revocations implements RevocationListener {

		@Override
		public void revoked(long number, Predicate<Claim> claim) {
			EngineLocks.this.threads.workers()
				.execute(
						() -> EngineLocks.this.gates.all().forEach((gate) -> loseByForce(gate, Set.of(number), claim)));
		}

		@Override
		public void revoked(long number, Claim claim) {
			report(claim, (gate) -> gate.revoked(Set.of(number), (other) -> other.owner().equals(claim.owner()))
				.forEach((hold) -> EngineLocks.this.holds.notOwner(gate, hold)));
		}

		@Override
		public void recalled(Claim claim) {
			report(claim, (gate) -> EngineLocks.this.driver.carryOut(gate, gate.recalled(claim)));
		}

		private void report(Claim claim, Consumer<KeyGate> report) {
			EngineLocks.this.threads.workers().execute(() -> EngineLocks.this.gates.ifUsed(claim.key(), report));
		}

	}

}
