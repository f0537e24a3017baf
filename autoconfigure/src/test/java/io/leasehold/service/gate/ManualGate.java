package io.leasehold.service.gate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.Member;
import io.leasehold.engine.local.LocalLockEngine;
import org.jspecify.annotations.Nullable;

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

	private long number;

	ManualGate() {
		this(EXCLUSIVE);
	}

	/**
	 * Create a gate.
	 * @param options options of the caller for which it is created
	 */
	ManualGate(LockOptions options) {
		this.gate = KeyGate.of(new LockKey("a"), options,
				new GateRules(new LocalLockEngine(this.clock), Member.of("test"), this.clock,
						ThreadLocalRandom.current(), FencingTokens.MOST_PASSES, Duration.ofHours(1)));
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
		enter(caller, KeyGate.Entry.QUEUED);
		return caller;
	}

	/** Let a caller enter that begins to claim the key. */
	TestCaller first(LockOptions options) {
		TestCaller caller = caller(options);
		enter(caller, KeyGate.Entry.FIRST);
		return caller;
	}

	private void enter(TestCaller caller, KeyGate.Entry expected) {
		KeyGate.Entry entry = this.gate.enter(caller);
		if (entry != expected) {
			throw new AssertionError("Caller was %s, not %s".formatted(entry, expected));
		}
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
		this.gate.open(hold, handle, false);
		return hold;
	}

	StoreClaim claim() {
		return Objects.requireNonNull(this.gate.remote());
	}

	/** Send the request of the present claim, without a response. */
	Claim request() {
		return Objects.requireNonNull(this.gate.begin(claim()));
	}

	/** Grant the present claim for a whole lease. */
	Actions grant() {
		return grant(LEASE);
	}

	/** Grant the present claim. */
	Actions grant(Duration left) {
		return response(granted(left));
	}

	/** Send the request of the present claim, and its response. */
	Actions response(AcquisitionOutcome response) {
		StoreClaim claim = claim();
		return this.gate.responded(claim, request(), this.clock.nanoTime(), response);
	}

	/** Create the store's response that grants the key. */
	AcquisitionOutcome.Granted granted(Duration left) {
		return new AcquisitionOutcome.Granted(++this.number, this.clock.nanoTime() + left.toNanos());
	}

	/** Close the only handle of a hold, and leave the hold. */
	Actions leave(Hold hold) {
		if (!this.gate.close(hold)) {
			throw new AssertionError("Hold is not to be left");
		}
		return this.gate.leave(hold, true, this.clock.nanoTime());
	}

	/** Close the only handle of a hold whose claim is released then. */
	Actions release(Hold hold) {
		if (leave(hold) != Action.RELEASE) {
			throw new AssertionError("Claim is not to be released");
		}
		return this.gate.released(Duration.ZERO);
	}

	static List<Waiter> woken(Actions actions) {
		List<Waiter> woken = new ArrayList<>();
		for (Waiter waiter = actions.woken(); waiter != null; waiter = waiter.next()) {
			woken.add(waiter);
		}
		return woken;
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
