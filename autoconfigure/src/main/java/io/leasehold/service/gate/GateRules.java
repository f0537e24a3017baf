package io.leasehold.service.gate;

import java.time.Duration;
import java.util.function.LongPredicate;
import java.util.random.RandomGenerator;

import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.LockTerms;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Owner;

/**
 * Settings and decisions that all gates of one engine share. Thread-safe.
 */
public final class GateRules {

	/**
	 * Begin of the thread's name of a caller that does not block its thread, in the
	 * store.
	 */
	public static final String ASYNC = "async=";

	final MonotonicClock clock;

	/** Source of the pauses after failed requests. */
	final RandomGenerator random;

	/** Returns whether the store has not responded to any request since a reading. */
	final LongPredicate storeSilent;

	private final LockEngine engine;

	private final String name;

	private final Member member;

	private final boolean storeKeepsMinHold;

	private final boolean storeRecalls;

	/** Keys whose grants should linger. */
	final Affinity affinity = new Affinity();

	private final int maxHandoffs;

	private final long maxHandoffNanos;

	private volatile boolean draining;

	public GateRules(LockEngine engine, Member member, MonotonicClock clock, RandomGenerator random, int maxHandoffs,
			Duration maxHandoffTime, LongPredicate storeSilent) {
		this.engine = engine;
		this.name = engine.name();
		this.member = member;
		this.clock = clock;
		this.random = random;
		this.storeKeepsMinHold = engine.capabilities().contains(Capability.MIN_HOLD);
		this.storeRecalls = engine.capabilities().contains(Capability.LINGER);
		this.maxHandoffs = maxHandoffs;
		this.maxHandoffNanos = maxHandoffTime.toNanos();
		this.storeSilent = storeSilent;
	}

	String engine() {
		return this.name;
	}

	long now() {
		return this.clock.nanoTime();
	}

	/**
	 * Return a lease that the engine accepts, even if the maximum hold time is shorter.
	 */
	public Duration atLeastMinLease(Duration lease) {
		Duration least = this.engine.minLease();
		return (lease.compareTo(least) < 0) ? least : lease;
	}

	/** Return whether a grant may linger after a hold with the given options. */
	public boolean lingers(LockOptions options) {
		return !options.linger().isZero() && this.storeRecalls && isPlain(options);
	}

	/** Return whether a caller wants an exclusive lock without additional times. */
	static boolean isPlain(LockOptions options) {
		return options.mode() == LockMode.EXCLUSIVE && options.permits() == 0 && options.minHold().isZero()
				&& options.lockDelay().isZero();
	}

	/** Set whether new callers are rejected. */
	public void drain(boolean drains) {
		this.draining = drains;
	}

	public boolean isDraining() {
		return this.draining;
	}

	/** Return whether a grant may stay in this process after its hold. */
	boolean trusts(Claim claim) {
		return !this.draining && !this.engine.inDoubt(claim);
	}

	/** Return for how long this process has to keep a closed hold. */
	long minHoldRest(Hold closed, long now) {
		boolean moved = closed.minHoldRest(closed.since) > closed.options.minHold().toNanos();
		return (this.storeKeepsMinHold && !moved) ? 0 : closed.minHoldRest(now);
	}

	/** Return whether recalls of a lingering grant reach this process. */
	boolean receivesRecalls(Claim claim) {
		return this.engine.receivesRecalls() && !this.engine.inDoubt(claim);
	}

	/** Create a claim whose grant may linger. */
	StoreClaim newLingeringClaim(Waiter waiter, long now) {
		Duration linger = lingerOf(waiter.options());
		boolean lingers = lingers(waiter.options()) && this.affinity.requested(waiter.key(), linger, now)
				&& this.engine.receivesRecalls();
		LockTerms terms = terms(waiter);
		return new StoreClaim(new Claim(waiter.key(), newOwner(waiter),
				lingers ? terms.with(linger, terms.minHold()) : terms, waiter.waits(), now, lingers));
	}

	/** Return a new owner token, which names the waiter's thread. */
	Owner newOwner(Waiter waiter) {
		return this.member.newOwner((waiter.thread() != null) ? waiter.threadName() : ASYNC + waiter.threadName());
	}

	/** Return the first lease of a lingering grant, which is never longer than others. */
	private Duration lingerOf(LockOptions options) {
		Duration lease = Hold.leaseOf(options);
		return atLeastMinLease((options.linger().compareTo(lease) < 0) ? options.linger() : lease);
	}

	/** Return the terms of a waiter's claim, with times that the store accepts. */
	LockTerms terms(Waiter waiter) {
		LockOptions options = waiter.options();
		return options.terms()
			.with(atLeastMinLease(Hold.leaseOf(options)), this.storeKeepsMinHold ? options.minHold() : Duration.ZERO);
	}

	/**
	 * Return whether a claim may be granted to a waiter that needs the same one, apart
	 * from its lease. A claim that does not wait is not requested again after its
	 * response. The store may already have granted a shared one, with a token less than
	 * that of a younger grant that has ended: it must not go to a waiter that came after
	 * its last request.
	 */
	boolean mayInherit(Waiter next, StoreClaim pending) {
		Claim claim = pending.claim();
		LockTerms terms = terms(next);
		return (claim.waits() || !pending.hasResponse())
				&& terms.with(claim.lease(), terms.minHold()).equals(claim.terms())
				&& (claim.access().limit() == 1 || pending.lastSent() - next.start() >= 0);
	}

	/**
	 * Return whether a hold's grant may be passed on without a request to the store,
	 * provided that enough of its lease is left. A grant that others may share is never
	 * passed on: its token would be less than that of a younger grant that has ended. Nor
	 * is that of a leader that stepped down, so that another process can lead.
	 */
	boolean mayPass(Hold closed, Waiter next, long now) {
		Claim claim = closed.grant.claim;
		return claim.access().limit() == 1 && !closed.options.endless()
				&& next.options().terms().with(claim.lease(), claim.minHold()).equals(claim.terms())
				&& closed.pass < this.maxHandoffs && now - closed.grant.since < this.maxHandoffNanos
				&& next.options().minHold().isZero() && closed.minHoldRest(now) <= 0;
	}

}
