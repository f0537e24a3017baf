package io.leasehold.service.gate;

import java.time.Duration;
import java.util.random.RandomGenerator;

import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;

/**
 * Settings and decisions that all gates of one engine share. Thread-safe.
 */
public final class GateRules {

	final MonotonicClock clock;

	/** Source of the pauses after failed requests. */
	final RandomGenerator random;

	private final LockEngine engine;

	private final String name;

	private final Member member;

	private final boolean storeKeepsMinHold;

	private final int maxHandoffs;

	private final long maxHandoffNanos;

	public GateRules(LockEngine engine, Member member, MonotonicClock clock, RandomGenerator random, int maxHandoffs,
			Duration maxHandoffTime) {
		this.engine = engine;
		this.name = engine.name();
		this.member = member;
		this.clock = clock;
		this.random = random;
		this.storeKeepsMinHold = engine.capabilities().contains(Capability.MIN_HOLD);
		this.maxHandoffs = maxHandoffs;
		this.maxHandoffNanos = maxHandoffTime.toNanos();
	}

	String engine() {
		return this.name;
	}

	/**
	 * Return a lease that the engine accepts, even if the maximum hold time is shorter.
	 */
	public Duration atLeastMinLease(Duration lease) {
		Duration least = this.engine.minLease();
		return (lease.compareTo(least) < 0) ? least : lease;
	}

	StoreClaim newClaim(Waiter waiter, long now) {
		return new StoreClaim(new Claim(waiter.key(), this.member.newOwner(waiter.threadName()), waiter.access,
				atLeastMinLease(Hold.leaseOf(waiter.options())), waiter.options().lockDelay(), storeMinHold(waiter),
				waiter.waits(), now));
	}

	/** Return whether a waiter needs the same claim, apart from its times. */
	boolean needsSame(Waiter waiter, Claim claim) {
		return waiter.access.equals(claim.access()) && waiter.options().lockDelay().equals(claim.lockDelay())
				&& storeMinHold(waiter).equals(claim.minHold());
	}

	private Duration storeMinHold(Waiter waiter) {
		return this.storeKeepsMinHold ? waiter.options().minHold() : Duration.ZERO;
	}

	/**
	 * Return whether a hold's grant may be passed on without a request to the store,
	 * provided that enough of its lease is left. A grant that others may share is never
	 * passed on: its token would be less than that of a younger grant that has ended.
	 */
	boolean mayPass(Hold closed, Waiter next, long now) {
		Claim claim = closed.grant.claim;
		return claim.access().limit() == 1 && next.access.equals(claim.access())
				&& next.options().lockDelay().equals(claim.lockDelay()) && closed.pass < this.maxHandoffs
				&& now - closed.grant.since < this.maxHandoffNanos && next.options().minHold().isZero()
				&& closed.minHoldRest(now) <= 0;
	}

}
