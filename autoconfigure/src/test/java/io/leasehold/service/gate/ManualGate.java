package io.leasehold.service.gate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.Member;
import io.leasehold.engine.Signal;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.DelegatingEngine;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A gate without a service: its clock stands still, and the test sends the responses of
 * the store. Confined to the test's thread.
 */
final class ManualGate {

	static final Duration LEASE = Duration.ofSeconds(30);

	static final Duration WAIT = Duration.ofMinutes(10);

	static final Duration NANO = Duration.ofNanos(1);

	static final LockOptions EXCLUSIVE = new LockOptions("test", "local", LEASE, WAIT, Duration.ZERO,
			LockOptions.UNLIMITED);

	static final LockOptions SHARED = EXCLUSIVE.toBuilder().mode(LockMode.SHARED).build();

	final ManualClock clock = new ManualClock();

	final KeyGate gate;

	/**
	 * A hold refers to its handles weakly: without these references they might vanish.
	 */
	private final List<Object> handles = new ArrayList<>();

	/** The claim that was requested last. */
	private @Nullable StoreClaim last;

	/** Whether its request was begun by the caller that entered. */
	private boolean begun;

	private long number;

	ManualGate() {
		this(EXCLUSIVE);
	}

	/**
	 * Create a gate.
	 * @param options options of the caller for which it is created
	 */
	ManualGate(LockOptions options) {
		this.gate = new KeyGate(new LockKey("a"), options,
				new GateRules(new StoreWithoutMinHold(this.clock), Member.of("test"), this.clock,
						ThreadLocalRandom.current(), FencingTokens.MOST_PASSES, Duration.ofHours(1), (start) -> false));
	}

	static LockOptions permits(int number) {
		return EXCLUSIVE.toBuilder().permits(number).build();
	}

	/** Return options of a caller that does not wait. */
	static LockOptions brief(LockOptions options) {
		return options.toBuilder().waitTime(Duration.ZERO).build();
	}

	/** Create a caller that has not entered yet. */
	TestCaller caller(LockOptions options) {
		return caller(options, null);
	}

	/**
	 * Create a caller that has not entered yet.
	 * @param thread its thread, with which its handle stays
	 */
	TestCaller caller(LockOptions options, @Nullable Thread thread) {
		return new TestCaller(this.gate.key(), options, this.clock.nanoTime(), thread);
	}

	/** Let a caller enter that is queued. */
	TestCaller queued(LockOptions options) {
		TestCaller caller = caller(options);
		enter(caller, Entry.QUEUED);
		return caller;
	}

	/** Let a caller enter that is queued behind a hold under which it runs. */
	TestCaller queued(LockOptions options, Hold own) {
		TestCaller caller = caller(options).under(own);
		enter(caller, Entry.QUEUED);
		return caller;
	}

	/** Let a caller enter that begins to claim the key. */
	TestCaller first(LockOptions options) {
		TestCaller caller = caller(options);
		enter(caller, Entry.FIRST);
		return caller;
	}

	private void enter(TestCaller caller, Entry expected) {
		Entry entry = enter(caller);
		if (entry != expected) {
			throw new AssertionError("Caller was %s, not %s".formatted(entry, expected));
		}
	}

	/** Let a caller enter. */
	Entry enter(TestCaller caller) {
		Decision decision = decided(this.gate.enter(caller));
		this.begun |= decision.first() != null && caller.thread() != null;
		if (decision.entersAgain()) {
			return decision.removesGate() ? Entry.GONE : Entry.EXPIRED;
		}
		if (caller.hasEnded()) {
			assertThat(woken(decision)).containsExactly(caller);
			return (caller.failure() instanceof LockBusyException) ? Entry.BUSY : Entry.SETTLED;
		}
		return (decision.first() != null) ? Entry.FIRST : Entry.QUEUED;
	}

	/** Record which claim a decision requests. */
	private Decision decided(Decision decision) {
		StoreClaim first = decision.first();
		StoreClaim requested = (first != null) ? first : decision.requested();
		if (requested != null && requested != this.last) {
			this.last = requested;
			this.begun = false;
		}
		return decision;
	}

	/** Let a caller acquire the key with a grant of the store, and open its handle. */
	Hold acquire(LockOptions options) {
		TestCaller caller = first(options);
		grant();
		return open(caller);
	}

	/** Open the first handle of a caller that was granted the key. */
	Hold open(TestCaller caller) {
		Hold hold = Objects.requireNonNull(caller.hold());
		Object handle = new Object();
		this.handles.add(handle);
		this.gate.opened(hold, handle, false);
		return hold;
	}

	List<Hold> holds() {
		return this.gate.describe().held().stream().map(KeyState.Held::hold).toList();
	}

	/** Return the use of a hold, {@code null} if it has ended. */
	Hold.@Nullable Use useOf(Hold hold) {
		for (KeyState.Held held : this.gate.describe().held()) {
			if (held.hold() == hold) {
				return held.use();
			}
		}
		return null;
	}

	/** Return the claim that the store has not granted yet, or {@code null}. */
	@Nullable StoreClaim pending() {
		return (this.last != null && !this.last.isOver()) ? this.last : null;
	}

	StoreClaim claim() {
		return Objects.requireNonNull(pending());
	}

	/** Send the request of the present claim, without a response. */
	Claim request() {
		StoreClaim claim = claim();
		if (!this.begun && !this.gate.begin(claim)) {
			throw new AssertionError("Request is in flight");
		}
		this.begun = false;
		return claim.claim();
	}

	/** Grant the present claim for a whole lease. */
	Decision grant() {
		return grant(LEASE);
	}

	/** Grant the present claim. */
	Decision grant(Duration left) {
		return response(granted(left));
	}

	/** Send the request of the present claim, and its response. */
	Decision response(AcquisitionOutcome response) {
		StoreClaim claim = claim();
		request();
		return answer(claim, response);
	}

	/** Respond to the request of a claim that is in flight. */
	Decision answer(StoreClaim claim, AcquisitionOutcome response) {
		return answered(claim, response, null);
	}

	/** Let the request of a claim fail that is in flight. */
	Decision fail(StoreClaim claim, LockEngineException failure) {
		return answered(claim, null, failure);
	}

	private Decision answered(StoreClaim claim, @Nullable AcquisitionOutcome response,
			@Nullable LockEngineException failure) {
		long now = this.clock.nanoTime();
		return decided(this.gate.answered(claim, now, now, response, failure));
	}

	/** Let the store push a grant. */
	Decision push(StoreClaim claim, AcquisitionOutcome.Granted granted) {
		return decided(this.gate.signalled(claim, new Signal.Pushed(granted)));
	}

	/** Create the store's response that grants the key. */
	AcquisitionOutcome.Granted granted(Duration left) {
		return new AcquisitionOutcome.Granted(++this.number, this.clock.nanoTime() + left.toNanos());
	}

	Decision giveUp(TestCaller caller) {
		return decided(this.gate.gaveUp(caller, new IllegalStateException("given up")));
	}

	/** Return the failure of a caller whose wait time ends now. */
	@Nullable RuntimeException timeout(TestCaller caller) {
		decided(this.gate.gaveUp(caller, null));
		return caller.failure();
	}

	/** Close a handle of a hold. */
	Decision close(Hold hold) {
		return decided(this.gate.closed(hold, this.clock.nanoTime()));
	}

	/** Close the only handle of a hold, and leave the hold. */
	Decision leave(Hold hold) {
		Decision decision = close(hold);
		if (!decision.closes()) {
			throw new AssertionError("Hold is not to be left");
		}
		return decision;
	}

	/** Close the only handle of a hold whose grant must not be passed on. */
	Decision leaveWithoutPass(Hold hold) {
		this.gate.rules.drain(true);
		Decision decision = leave(hold);
		this.gate.rules.drain(false);
		return decision;
	}

	/** Close the only handle of a hold whose claim is released then. */
	Decision release(Hold hold) {
		if (leave(hold).freed() != hold) {
			throw new AssertionError("Claim is not to be released");
		}
		return released(Duration.ZERO);
	}

	Decision released(Duration standBack) {
		return decided(this.gate.released(standBack));
	}

	/** Let the first renewal of a grant end. */
	Decision endFirstRenewal(Hold hold) {
		assertThat(hold.grant.endFirstRenewal()).as("first renewal").isTrue();
		return decided(this.gate.keepingEnded(hold.grant));
	}

	Decision lose(Hold hold, LossCause cause) {
		return decided(this.gate.lost(hold, cause));
	}

	Decision drain() {
		this.gate.rules.drain(true);
		return decided(this.gate.drained());
	}

	static List<Waiter> woken(Decision decision) {
		List<Waiter> woken = new ArrayList<>();
		for (Waiter waiter = decision.woken(); waiter != null; waiter = waiter.next()) {
			woken.add(waiter);
		}
		return woken;
	}

	/** Store that leaves minimum holds to the process. */
	private static final class StoreWithoutMinHold extends DelegatingEngine {

		StoreWithoutMinHold(ManualClock clock) {
			super(new LocalLockEngine(clock));
		}

		@Override
		public Set<Capability> capabilities() {
			Set<Capability> all = EnumSet.copyOf(super.capabilities());
			all.remove(Capability.MIN_HOLD);
			return all;
		}

	}

	/** Outcome of entering the gate. */
	enum Entry {

		/** The caller has a hold, or was rejected. */
		SETTLED,

		/** The caller sends the first request of its claim. */
		FIRST,

		/** A hold has expired and must be marked as lost first. */
		EXPIRED,

		/** The caller waits behind others. */
		QUEUED,

		/** The caller does not wait, and others precede it. */
		BUSY,

		/** The gate is out of use. */
		GONE

	}

	/** A caller of the test. */
	static final class TestCaller extends Waiter {

		int wakes;

		private final @Nullable Thread thread;

		/** Holds under which it runs. */
		private final Set<Hold> under = new HashSet<>();

		TestCaller(LockKey key, LockOptions options, long start, @Nullable Thread thread) {
			super(key, options, thread != null, start);
			this.thread = thread;
		}

		TestCaller under(Hold hold) {
			this.under.add(hold);
			return this;
		}

		@Override
		protected boolean runsUnder(Hold hold) {
			return this.under.contains(hold);
		}

		@Override
		public List<HeldLock> outer() {
			return List.of();
		}

		@Override
		public String threadName() {
			return "caller";
		}

		@Override
		public @Nullable Thread thread() {
			return this.thread;
		}

		@Override
		public void wake() {
			this.wakes++;
		}

	}

}
