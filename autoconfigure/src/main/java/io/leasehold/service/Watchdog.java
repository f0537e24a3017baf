package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

import io.leasehold.LossCause;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.RenewalResult;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Renews what is held, all that is due in one batch, and notices what is lost. One for an
 * engine: no timer and no thread for a lock, and nothing to do while nothing is held. Its
 * tick looks at every gate; it never blocks, since renewals go to a thread of their own.
 */
final class Watchdog {

	private static final Log logger = LogFactory.getLog(Watchdog.class);

	/** Nothing to look at again. */
	private static final long IDLE = Long.MAX_VALUE;

	private static final long LONGEST_TICK = Duration.ofSeconds(1).toNanos();

	private static final long SHORTEST_TICK = Duration.ofMillis(5).toNanos();

	/** Whoever gives a lock back so soon needs no longer lease. */
	private static final long GRACE = Duration.ofMillis(20).toNanos();

	private final Coordinator coordinator;

	private final MonotonicClock clock;

	private final EngineThreads threads;

	private final Queue<Hold> urgent = new ConcurrentLinkedQueue<>();

	/** The batch that is being renewed, if there is one. */
	private final AtomicReference<@Nullable List<Hold>> renewing = new AtomicReference<>();

	/** Counts the ticks, for the self-check. */
	private volatile int ticks;

	private int checkedTicks;

	private int checksWithoutTick;

	private @Nullable List<Hold> checkedBatch;

	private int checksOfBatch;

	private volatile boolean planned;

	/** When the next tick is planned, if it is. */
	private volatile long nextTick;

	private @Nullable Future<?> timer;

	Watchdog(Coordinator coordinator, MonotonicClock clock, EngineThreads threads) {
		this.coordinator = coordinator;
		this.clock = clock;
		this.threads = threads;
	}

	/**
	 * Begin to look after a hold. The short lease with which a key was handed on is
	 * extended soon, and at once if another caller waits, to whom it could not be passed
	 * on otherwise.
	 */
	void watch(Hold hold, boolean awaited, long now) {
		long due = dueAt(hold, now);
		hold.renewAt = (hold.pass > 0 && due - hold.renewAt > 0) ? hold.renewAt : due;
		if (hold.grant.pushed && untilThirdGone(hold, now) <= 0 && hold.isRenewable(now)) {
			hold.firstRenewal = true;
			this.urgent.add(hold);
			if (awaited) {
				hurry();
			}
			else {
				this.threads.schedule(this::hurry, GRACE);
			}
		}
		tickAt(now + look(hold, now, null));
	}

	/** Begin with the first renewals that are still to come. */
	void hurry() {
		this.threads.renewals().execute(this::renewUrgent);
	}

	/**
	 * Return when a third of the lease will have passed, or of the time that the store
	 * granted if that is shorter. A longer grant is not waited for.
	 */
	private static long dueAt(Hold hold, long now) {
		long due = Math.max(untilThirdGone(hold, now), hold.grant.remaining(now) / 3);
		return now + Math.min(due, lease(hold) / 3);
	}

	private static long untilThirdGone(Hold hold, long now) {
		long lease = lease(hold);
		return hold.grant.remaining(now) - (lease - lease / 3);
	}

	private static long lease(Hold hold) {
		return Hold.leaseOf(hold.options).toNanos();
	}

	private void tickAt(long when) {
		if (comesBefore(when)) {
			return;
		}
		synchronized (this) {
			if (!comesBefore(when)) {
				if (this.timer != null) {
					this.timer.cancel(false);
				}
				this.nextTick = when;
				this.planned = true;
				this.timer = this.threads.schedule(this::tick, when - this.clock.nanoTime());
			}
		}
	}

	private boolean comesBefore(long when) {
		return this.planned && when - this.nextTick >= 0;
	}

	/**
	 * Whatever happens, there is a next tick while anything is held: leases end when
	 * nobody renews them.
	 */
	private void tick() {
		long now = this.clock.nanoTime();
		this.planned = false;
		this.ticks++;
		long next = LONGEST_TICK;
		try {
			next = lookAround(now);
		}
		catch (RuntimeException | Error ex) {
			logger.error("The watchdog of engine '%s' stumbled".formatted(this.coordinator.engine().name()), ex);
		}
		if (next != IDLE) {
			tickAt(now + next);
		}
	}

	private long lookAround(long now) {
		boolean free = this.renewing.get() == null;
		List<Hold> due = new ArrayList<>();
		long next = IDLE;
		for (Gate gate : this.coordinator.gates()) {
			for (Hold hold : gate.holds()) {
				if (isHeld(hold)) {
					this.coordinator.holds().tellIfSlow(hold, now);
					next = Math.min(next, look(hold, now, free ? due : null));
				}
			}
		}
		if (!due.isEmpty()) {
			this.renewing.set(due);
			this.threads.renewals().execute(() -> renewDue(due));
		}
		return next;
	}

	/**
	 * Begin anew with renewals that have not ended for long, and with ticks that have
	 * stopped.
	 * @param held whether anything is held
	 * @return whether that was necessary
	 */
	boolean repair(boolean held) {
		if (!this.urgent.isEmpty()) {
			hurry();
		}
		List<Hold> batch = this.renewing.get();
		this.checksOfBatch = (batch != null && batch == this.checkedBatch) ? this.checksOfBatch + 1 : 0;
		this.checkedBatch = batch;
		boolean stuck = this.checksOfBatch >= SelfCheck.PATIENCE && this.renewing.compareAndSet(batch, null);
		this.checksWithoutTick = (held && this.ticks == this.checkedTicks) ? this.checksWithoutTick + 1 : 0;
		this.checkedTicks = this.ticks;
		boolean stopped = this.checksWithoutTick >= SelfCheck.PATIENCE;
		if (stuck || stopped) {
			this.planned = false;
			tickAt(this.clock.nanoTime());
		}
		return stuck || stopped;
	}

	private boolean isHeld(Hold hold) {
		if (hold.gate.isAbandoned(hold)) {
			this.coordinator.holds().lose(hold, LossCause.ABANDONED);
		}
		return this.coordinator.holds().isValid(hold);
	}

	/**
	 * Take a hold into the batch if it is due, or will be soon; return when to look
	 * again.
	 */
	private long look(Hold hold, long now, @Nullable List<Hold> due) {
		long wait = Math.min(hold.remaining(now), LONGEST_TICK);
		if (!hold.isRenewable(now)) {
			return Math.max(SHORTEST_TICK, wait);
		}
		long untilDue = hold.renewAt - now;
		long soon = Math.min(lease(hold), hold.grant.remaining(now)) / 30;
		if (untilDue > soon) {
			return Math.max(SHORTEST_TICK, Math.min(wait, untilDue));
		}
		if (due != null) {
			due.add(hold);
		}
		return Math.max(SHORTEST_TICK, Math.min(wait, retryPause(hold)));
	}

	private static long retryPause(Hold hold) {
		return Math.min(LONGEST_TICK, lease(hold) / 10);
	}

	private void renewUrgent() {
		List<Hold> batch = new ArrayList<>();
		for (Hold hold = this.urgent.poll(); hold != null; hold = this.urgent.poll()) {
			if (hold.gate.isHeldBy(hold)) {
				batch.add(hold);
			}
		}
		try {
			renew(batch);
		}
		finally {
			batch.forEach(this.coordinator.holds()::firstRenewalEnded);
		}
	}

	private void renewDue(List<Hold> batch) {
		try {
			renew(batch);
		}
		finally {
			this.renewing.compareAndSet(batch, null);
		}
	}

	private void renew(List<Hold> batch) {
		if (batch.isEmpty()) {
			return;
		}
		long started = this.clock.nanoTime();
		List<RenewalOutcome> outcomes = ask(batch, started);
		Duration took = Duration.ofNanos(this.clock.nanoTime() - started);
		List<LockEvent> told = new ArrayList<>(batch.size());
		for (int i = 0; i < batch.size(); i++) {
			told.add(settle(batch.get(i), outcomes.get(i), started, took));
		}
		this.coordinator.events().publishRenewals(told);
	}

	private List<RenewalOutcome> ask(List<Hold> batch, long now) {
		List<Renewal> renewals = batch.stream()
			.map((hold) -> new Renewal(hold.grant.claim, hold.grant.number,
					this.coordinator.atLeastMinLease(hold.leaseAt(now))))
			.toList();
		try {
			List<RenewalOutcome> outcomes = this.coordinator.engine().renew(renewals);
			Assert.state(outcomes.size() == renewals.size(), "The engine left renewals unanswered");
			return outcomes;
		}
		catch (Exception | Error ex) {
			Exception cause = (ex instanceof Exception exception) ? exception : new IllegalStateException(ex);
			return Collections.nCopies(batch.size(), new RenewalOutcome.Unknown(cause));
		}
	}

	private LockEvent settle(Hold hold, RenewalOutcome outcome, long started, Duration took) {
		long now = this.clock.nanoTime();
		Duration slack = Duration.ofNanos(hold.remaining(now));
		RenewalResult result = RenewalResult.UNKNOWN;
		Exception failure = null;
		if (outcome instanceof RenewalOutcome.Renewed renewed) {
			result = RenewalResult.RENEWED;
			hold.grant.renewalFailure = null;
			hold.grant.confirm(started);
			if (hold.grant.extend(renewed.validUntil(), now)) {
				hold.renewAt = dueAt(hold, now);
			}
		}
		else if (outcome instanceof RenewalOutcome.NotOwner) {
			result = RenewalResult.NOT_OWNER;
			this.coordinator.holds().lose(hold, LossCause.NOT_OWNER);
		}
		else if (outcome instanceof RenewalOutcome.Unknown unknown) {
			failure = unknown.cause();
			hold.grant.renewalFailure = failure;
			hold.renewAt = now + retryPause(hold);
		}
		return new LockEvent.LeaseRenewed(this.coordinator.engine().name(), result, took, slack, failure);
	}

}
