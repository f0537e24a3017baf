package io.leasehold.service;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import org.jspecify.annotations.Nullable;

/**
 * Everything one engine's locks need inside this process: its gates, and those who work
 * at them. Thread-safe.
 */
final class Coordinator implements AutoCloseable {

	private final ServiceSettings settings;

	private final LockEngine engine;

	private final Member member;

	private final MonotonicClock clock;

	private final boolean storeKeepsMinHold;

	private final EngineThreads threads;

	private final Events events;

	private final ClaimCloser closer;

	private final StoreProbe probe;

	private final Watchdog watchdog;

	private final Holds holds;

	private final Acquirer acquirer;

	private final SelfCheck selfCheck;

	private final PermitCollector permits;

	private final ConcurrentHashMap<LockKey, Gate> gates = new ConcurrentHashMap<>();

	private final AtomicReference<@Nullable Runnable> whenIdle = new AtomicReference<>();

	private volatile boolean draining;

	Coordinator(ServiceSettings settings, LockEngine engine, Member member, MonotonicClock clock,
			List<? extends LockEventListener> listeners, ReleaseTiming timing, EngineThreads threads) {
		this.settings = settings;
		this.engine = engine;
		this.member = member;
		this.clock = clock;
		this.storeKeepsMinHold = engine.capabilities().contains(Capability.MIN_HOLD);
		this.threads = threads;
		this.events = new Events(listeners, this.threads);
		this.closer = new ClaimCloser(engine, clock, this.threads, this::checkIdle);
		this.probe = new StoreProbe(engine, member, clock, this.closer);
		this.watchdog = new Watchdog(this, clock, this.threads);
		this.holds = new Holds(this, settings);
		this.acquirer = new Acquirer(this, timing);
		this.selfCheck = new SelfCheck(this);
		this.permits = new PermitCollector(this);
	}

	HeldLock acquire(LockKey key, LockOptions options, Predicate<LockEngineException> bypassed) {
		return this.acquirer.acquire(key, options, false, bypassed);
	}

	/** Take the locks of several keys one after the other, all within one wait time. */
	HeldLock acquireAll(LockKeys keys, LockOptions options, Predicate<LockEngineException> bypassed) {
		long start = this.clock.nanoTime();
		return HeldLocks.take(keys.all(), (key) -> acquire(key, rest(options, start), bypassed),
				this::closeInBackground);
	}

	/** Take locks without blocking, re-entering those that are held further out. */
	CompletableFuture<HeldLock> acquireAllAsync(LockKeys keys, LockOptions options, List<HeldLock> outer,
			Predicate<LockEngineException> bypassed) {
		LockEngineException failure = start(keys.all().get(0));
		if (failure != null) {
			publishEnd(options, AcquireOutcome.UNAVAILABLE, failure);
			return CompletableFuture.failedFuture(failure);
		}
		long start = this.clock.nanoTime();
		Function<LockKey, CompletableFuture<HeldLock>> one = (key) -> this.acquirer.acquireAsync(key,
				rest(options, start), outer, bypassed);
		LockKey only = keys.single();
		return (only != null) ? one.apply(only)
				: AsyncHeldLocks.take(keys, one, this::closeAsync, this.threads.callers());
	}

	/** Close a lock that was acquired in vain. */
	CompletableFuture<Void> closeInBackground(HeldLock held) {
		return CompletableFuture.runAsync(held::close, this.threads.releases());
	}

	/** Close a lock without blocking the caller. */
	CompletableFuture<Void> closeAsync(HeldLock lock) {
		CompletableFuture<Void> result = new CompletableFuture<>();
		this.threads.releases().execute(() -> {
			CompletableFuture<Void> closing = CompletableFuture.runAsync(lock::close, Runnable::run);
			this.threads.callers().execute(() -> closing.whenComplete((closed, failure) -> {
				if (failure == null) {
					result.complete(closed);
				}
				else {
					result.completeExceptionally(failure);
				}
			}));
		});
		return result;
	}

	/** Acquire several permits of a key: all of them, or none. */
	HeldLock acquirePermits(LockKey key, int count, LockOptions options) {
		return this.permits.acquire(key, count, options);
	}

	/** Return options with the rest of their wait time. */
	LockOptions rest(LockOptions options, long start) {
		Duration rest = options.waitTime().minusNanos(this.clock.nanoTime() - start);
		return options.withWaitTime(rest.isNegative() ? Duration.ZERO : rest);
	}

	/** Whether the grant behind a token is the one in force, by the store's word. */
	boolean isCurrent(LockKey key, long token) {
		return this.engine.inspect(key).stream().anyMatch((holder) -> Hold.isOfGrant(token, holder.number()));
	}

	/** Take a lock that ends with the life of its thread. */
	Handle acquireForThread(LockKey key, LockOptions options) {
		return this.acquirer.acquire(key, options, true, Acquirer.NEVER_BYPASSED);
	}

	/**
	 * Start the threads that locks need, unless they were started before: while a lock is
	 * held or awaited, none may be missing.
	 * @return why the lock is not to be acquired, or {@code null}
	 */
	@Nullable LockEngineException start(LockKey key) {
		try {
			this.threads.start(this.selfCheck);
			return null;
		}
		catch (OutOfMemoryError ex) {
			return new LockEngineException(key,
					("Lock '%s' was not acquired: the threads that"
							+ " would renew it could not be started: %s (engine: %s)")
						.formatted(key, ex.getMessage(), this.engine.name()),
					ex);
		}
	}

	/** Refuse options that this engine cannot serve. */
	Coordinator check(LockOptions options) {
		EngineForms.check(options, this.engine);
		if (options.lease().compareTo(this.engine.minLease()) < 0) {
			throw new IllegalArgumentException("Lease %s of lock '%s' is shorter than the %s that engine '%s' needs"
				.formatted(options.lease(), options.name(), this.engine.minLease(), this.engine.name()));
		}
		return this;
	}

	/** Tell of an acquisition that never came to a gate. */
	void publishEnd(LockOptions options, AcquireOutcome outcome, @Nullable Exception failure) {
		this.events
			.publish(new LockEvent.AcquireEnded(this.engine.name(), options.name(), null, outcome, false, 0, failure));
	}

	LockEngine engine() {
		return this.engine;
	}

	MonotonicClock clock() {
		return this.clock;
	}

	EngineThreads threads() {
		return this.threads;
	}

	Events events() {
		return this.events;
	}

	StoreProbe probe() {
		return this.probe;
	}

	ClaimCloser closer() {
		return this.closer;
	}

	Watchdog watchdog() {
		return this.watchdog;
	}

	SelfCheck selfCheck() {
		return this.selfCheck;
	}

	Holds holds() {
		return this.holds;
	}

	Gate gate(LockKey key) {
		Gate found = this.gates.get(key);
		if (found != null) {
			return found;
		}
		Gate made = new Gate(key, this);
		found = this.gates.putIfAbsent(key, made);
		return (found != null) ? found : made;
	}

	Collection<Gate> gates() {
		return this.gates.values();
	}

	/** Add all that is held and awaited to a survey. */
	void describe(Survey survey) {
		gates().forEach((gate) -> gate.describe(survey));
	}

	/** Add what is held and awaited of one key. */
	void describe(Survey survey, LockKey key) {
		Gate gate = this.gates.get(key);
		if (gate != null) {
			gate.describe(survey);
		}
	}

	/** Release a key in place of its holder, which is told at once if it is here. */
	List<Holder> forceRelease(LockKey key) {
		List<Holder> lost = this.engine.forceRelease(key);
		Set<Long> numbers = lost.stream().map(Holder::number).collect(Collectors.toSet());
		Gate gate = this.gates.get(key);
		if (gate != null) {
			gate.holds()
				.stream()
				.filter((hold) -> numbers.contains(hold.grant.number))
				.forEach((hold) -> this.holds.lose(hold, LossCause.NOT_OWNER));
		}
		return lost;
	}

	void remove(Gate gate) {
		this.gates.remove(gate.key, gate);
		checkIdle();
	}

	RemoteClaim newClaim(Gate gate, Acquisition caller, long now) {
		return new RemoteClaim(gate,
				new Claim(gate.key, this.member.newOwner(caller.asker()), caller.access,
						atLeastMinLease(Hold.leaseOf(caller.options)), caller.options.lockDelay(), storeMinHold(caller),
						caller.waits(), now));
	}

	/**
	 * Return a lease that the engine accepts, though the longest hold time is shorter.
	 */
	Duration atLeastMinLease(Duration lease) {
		Duration least = this.engine.minLease();
		return (lease.compareTo(least) < 0) ? least : lease;
	}

	/** Whether a caller wants of the store what a claim asks for, but for its times. */
	boolean wantsSame(Acquisition caller, Claim claim) {
		return caller.access.equals(claim.access()) && caller.options.lockDelay().equals(claim.lockDelay())
				&& storeMinHold(caller).equals(claim.minHold());
	}

	/** Whether the store itself keeps a key closed to the end of its min hold. */
	boolean storeKeepsMinHold() {
		return this.storeKeepsMinHold;
	}

	/** What the store is to keep closed for a caller. */
	private Duration storeMinHold(Acquisition caller) {
		return this.storeKeepsMinHold ? caller.options.minHold() : Duration.ZERO;
	}

	/**
	 * Whether a hold's grant may go to the next caller without asking the store, as long
	 * as enough of its lease is left. Never where several may hold the key: the token
	 * would be less than one of a younger grant that has ended.
	 */
	boolean mayPass(Hold closed, Acquisition next, long now) {
		Claim claim = closed.grant.claim;
		return !this.draining && claim.access().limit() == 1 && next.access.equals(claim.access())
				&& next.options.lockDelay().equals(claim.lockDelay()) && closed.pass < this.settings.maxHandoffs()
				&& now - closed.grant.since < this.settings.maxHandoffTime().toNanos()
				&& next.options.minHold().isZero() && closed.minHoldRest(now) <= 0 && !inDoubt(closed.grant);
	}

	boolean inDoubt(Grant grant) {
		return this.engine.inDoubt(grant.claim);
	}

	boolean isDraining() {
		return this.draining;
	}

	LockEngineException refusal(LockKey key) {
		return new LockEngineException(key, "Lock '%s' is refused: the application is shutting down".formatted(key),
				null, false);
	}

	/** Refuse callers from now on; run the action once nothing is held any more. */
	void drain(Runnable action) {
		this.whenIdle.set(action);
		this.draining = true;
		for (Gate gate : gates()) {
			gate.failed(refusal(gate.key));
			gate.dropClosed();
		}
		checkIdle();
	}

	/** Take locks again; what is left of before is of a former member of the store. */
	void resume() {
		loseAll();
		this.draining = false;
	}

	private void checkIdle() {
		if (this.draining && this.gates.isEmpty() && this.closer.hasTriedAll()) {
			Runnable action = this.whenIdle.getAndSet(null);
			if (action != null) {
				action.run();
			}
		}
	}

	@Override
	public void close() {
		drain(() -> {
		});
		loseAll();
		this.threads.close();
	}

	private void loseAll() {
		for (Gate gate : gates()) {
			gate.holds().forEach((hold) -> this.holds.lose(hold, LossCause.SHUTDOWN));
		}
	}

}
