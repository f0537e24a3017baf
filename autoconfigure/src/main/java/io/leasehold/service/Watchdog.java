package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.RenewalRule;
import io.leasehold.event.LockEvent;
import io.leasehold.event.RenewalResult;
import io.leasehold.service.gate.GateRules;
import io.leasehold.service.gate.Grant;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;
import io.leasehold.service.gate.KeyState;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Watchdog of one engine. It renews all due leases in one batch, and detects losses. It
 * needs no timer or thread per lock, and is idle while nothing is held. Its tick checks
 * every gate, but never blocks, because renewals have a separate thread.
 */
final class Watchdog {

	private static final Log logger = LogFactory.getLog(Watchdog.class);

	/** Time until the next tick if there is no hold: far away, without overflow. */
	private static final long IDLE = Long.MAX_VALUE / 2;

	private static final long LONGEST_TICK = Duration.ofSeconds(1).toNanos();

	private static final long SHORTEST_TICK = Duration.ofMillis(5).toNanos();

	/** Delay of a first renewal, which is not needed if the lock is released earlier. */
	private static final long GRACE = Duration.ofMillis(20).toNanos();

	private final LockEngine engine;

	private final GateRules rules;

	private final MonotonicClock clock;

	private final EngineThreads threads;

	private final Collection<KeyGate> gates;

	private final Supplier<? extends Listener> listener;

	private final Queue<Due> urgent = new ConcurrentLinkedQueue<>();

	/** Whether a batch of due holds is being renewed. */
	private volatile boolean renewing;

	/** Time of the next tick; far away if none is planned. */
	private volatile long nextTick;

	private final Standstill standstill = new Standstill();

	private @Nullable Future<?> timer;

	/** Create a watchdog of the gates in a live view. */
	Watchdog(LockEngine engine, GateRules rules, MonotonicClock clock, EngineThreads threads, Collection<KeyGate> gates,
			Supplier<? extends Listener> listener) {
		this.engine = engine;
		this.rules = rules;
		this.clock = clock;
		this.threads = threads;
		this.gates = gates;
		this.listener = listener;
		this.nextTick = clock.nanoTime() + IDLE;
	}

	/**
	 * Begin to renew a hold. The short lease of a pushed grant is extended soon, for the
	 * hold that has the grant then.
	 */
	void watch(KeyGate gate, Hold hold) {
		if (hold.pass == 0 && hold.grant.awaitsFirstRenewal()) {
			this.urgent.add(new Due(gate, hold));
			this.threads.schedule(this::hurry, GRACE);
		}
		tickAt(hold.since + check(hold, hold.since));
	}

	/** Renew the grant of a hold soon, before it is due. */
	void extend(KeyGate gate, Hold hold) {
		this.urgent.add(new Due(gate, hold));
		hurry();
	}

	/** Check a hold in time for its new end, and renew its grant at once if due. */
	void endMoved(KeyGate gate, Hold hold) {
		long now = this.clock.nanoTime();
		if (isDue(hold, now)) {
			extend(gate, hold);
		}
		tickAt(now + check(hold, now));
	}

	void hurry() {
		this.threads.renewals().execute(this::renewUrgent);
	}

	/** Plan a tick, or keep the present plan if its timer does not start. */
	private void tickAt(long when) {
		if (when - this.nextTick >= 0) {
			return;
		}
		synchronized (this) {
			if (when - this.nextTick < 0) {
				Future<?> started = this.threads.schedule(this::tick, when - this.clock.nanoTime());
				if (this.timer != null) {
					this.timer.cancel(false);
				}
				this.timer = started;
				this.nextTick = when;
			}
		}
	}

	/** Return for how long the process stood still lately, zero if it did not. */
	Duration standstill(long now) {
		return this.standstill.length(now, this.nextTick);
	}

	/**
	 * Check all holds and plan the next tick. After a failure of a check there is a next
	 * tick in any case, because leases expire without renewal.
	 */
	private void tick() {
		long now = this.clock.nanoTime();
		long due;
		synchronized (this) {
			due = this.nextTick;
			this.nextTick = now + IDLE;
		}
		long next = LONGEST_TICK;
		try {
			this.standstill.ticked(now, due);
			next = checkAll(now);
		}
		catch (RuntimeException | Error ex) {
			this.renewing = false; // its batch may not have begun
			logger.error("The watchdog of engine '%s' failed; it will retry".formatted(this.engine.name()), ex);
		}
		finally {
			tickAt(now + next);
		}
	}

	private long checkAll(long now) {
		boolean free = !this.renewing;
		List<Due> due = new ArrayList<>();
		long next = IDLE;
		for (KeyGate gate : this.gates) {
			for (KeyState.Held held : gate.held()) {
				if (this.listener.get().check(gate, held, now)) {
					next = Math.min(next, check(held.hold(), now));
					if (free && held.use() == Hold.Use.IN_USE && isDue(held.hold(), now)) {
						due.add(new Due(gate, held.hold()));
					}
				}
			}
		}
		if (!due.isEmpty()) {
			this.renewing = true;
			this.threads.renewals().execute(() -> renewDue(due));
		}
		return next;
	}

	/** Return the time until the next check of a hold. */
	private static long check(Hold hold, long now) {
		long wait = Math.min(hold.remaining(now), LONGEST_TICK);
		if (hold.isRenewable(now)) {
			wait = Math.min(wait, isDue(hold, now) ? RenewalRule.retryPause(hold.lease()) : hold.renewAt() - now);
		}
		return Math.max(SHORTEST_TICK, wait);
	}

	/** Return whether to renew a hold now, because it is due or almost due. */
	private static boolean isDue(Hold hold, long now) {
		long ahead = RenewalRule.ahead(Math.min(hold.lease(), hold.grant.remaining(now)));
		return hold.renewAt() - now <= ahead && hold.isRenewable(now);
	}

	private void renewUrgent() {
		List<Due> batch = new ArrayList<>();
		for (Due next = this.urgent.poll(); next != null; next = this.urgent.poll()) {
			batch.add(next);
		}
		try {
			renew(batch);
		}
		finally {
			batch.stream()
				.filter((due) -> due.hold.grant.endFirstRenewal())
				.forEach((due) -> this.listener.get().firstRenewalEnded(due.gate, due.hold.grant));
		}
	}

	private void renewDue(List<Due> batch) {
		try {
			renew(batch);
		}
		finally {
			this.renewing = false;
		}
	}

	/** Renew the grants of a batch that were not released before a thread was free. */
	private void renew(List<Due> planned) {
		List<Due> batch = planned.stream().flatMap(Due::current).toList();
		if (batch.isEmpty()) {
			return;
		}
		long started = this.clock.nanoTime();
		// A grant that is released meanwhile has no rest afterwards
		List<Long> rests = batch.stream().map((due) -> due.hold.remaining(started)).toList();
		List<RenewalOutcome> outcomes = request(batch, started);
		Duration took = Duration.ofNanos(this.clock.nanoTime() - started);
		List<LockEvent.LeaseRenewed> events = new ArrayList<>(batch.size());
		for (int i = 0; i < batch.size(); i++) {
			events.add(settle(batch.get(i), outcomes.get(i), started, took, rests.get(i)));
		}
		this.listener.get().renewed(events);
	}

	private List<RenewalOutcome> request(List<Due> batch, long now) {
		List<Renewal> renewals = batch.stream()
			.map(Due::hold)
			.map((hold) -> new Renewal(hold.grant.claim, hold.grant.number,
					this.rules.atLeastMinLease(hold.leaseAt(now))))
			.toList();
		try {
			List<RenewalOutcome> outcomes = this.engine.renew(renewals);
			Assert.state(outcomes.size() == renewals.size(), "The engine did not return an outcome for each renewal");
			return outcomes;
		}
		catch (Exception | Error ex) {
			Exception cause = (ex instanceof Exception exception) ? exception : new IllegalStateException(ex);
			return Collections.nCopies(batch.size(), new RenewalOutcome.Unknown(cause));
		}
	}

	private LockEvent.LeaseRenewed settle(Due renewal, RenewalOutcome outcome, long started, Duration took, long rest) {
		long now = this.clock.nanoTime();
		Hold hold = renewal.hold;
		Duration slack = Duration.ofNanos(Math.max(0, rest - (now - started)));
		RenewalResult result = RenewalResult.UNKNOWN;
		Exception failure = null;
		if (outcome instanceof RenewalOutcome.Renewed renewed) {
			result = RenewalResult.RENEWED;
			hold.grant.confirm(started);
			if (hold.grant.extend(renewed.validUntil(), now)) {
				hold.renewed(now);
			}
		}
		else if (outcome instanceof RenewalOutcome.NotOwner) {
			result = RenewalResult.NOT_OWNER;
			this.listener.get().notOwner(renewal.gate, hold);
		}
		else if (outcome instanceof RenewalOutcome.Unknown unknown) {
			failure = unknown.cause();
			hold.grant.renewalFailed(failure);
			hold.renewalFailed(now);
		}
		return new LockEvent.LeaseRenewed(this.engine.name(), result, took, slack, failure);
	}

	/** Listener for findings about holds. */
	interface Listener {

		/**
		 * Check a hold, and mark it as lost if it has expired or is abandoned.
		 * @return whether it is still held
		 */
		boolean check(KeyGate gate, KeyState.Held held, long now);

		/** Called when the store reported that a hold's grant is no longer in force. */
		void notOwner(KeyGate gate, Hold hold);

		/** Called after a grant's first renewal, for which its release may wait. */
		void firstRenewalEnded(KeyGate gate, Grant grant);

		/** Called with one event per renewal of a batch, whatever their results. */
		void renewed(List<LockEvent.LeaseRenewed> events);

	}

	/** A hold in a batch of renewals. */
	private record Due(KeyGate gate, Hold hold) {

		/** Return the hold to which the grant was passed on, if any has it. */
		Stream<Due> current() {
			Hold current = this.gate.renewalBegan(this.hold.grant);
			return Stream.ofNullable(current).map((holder) -> new Due(this.gate, holder));
		}

	}

}
