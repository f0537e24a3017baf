package io.leasehold.service.gate;

import java.time.Duration;

import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Decision of a gate to which actions are added under the gate's monitor.
 */
final class Decision implements Actions {

	private @Nullable Waiter woken;

	private @Nullable StoreClaim ended;

	private @Nullable Claim released;

	private @Nullable StoreClaim requested;

	private int plan;

	private Duration delay = Duration.ZERO;

	private boolean listens;

	private boolean renews;

	private boolean removes;

	/** Add a waiter to wake, after those added before. It must not be in a queue. */
	Decision wake(Waiter waiter) {
		this.woken = Link.add(this.woken, waiter);
		return this;
	}

	void end(StoreClaim claim) {
		if (claim.hasResources()) {
			this.ended = claim;
		}
	}

	void release(Claim claim, Duration after) {
		this.released = claim;
		this.delay = after;
	}

	/** Release a claim that ended during its request, unless nothing must be released. */
	void releaseAfterResponse(StoreClaim claim) {
		Duration after = claim.releaseAfterResponse();
		if (after != null) {
			release(claim.claim(), after);
		}
	}

	Decision request(StoreClaim claim, Duration after) {
		this.requested = claim;
		this.plan = claim.plan();
		this.delay = after;
		return this;
	}

	void listen() {
		this.listens = true;
	}

	/** Renew the grant of the first waiter to wake. */
	void renew() {
		this.renews = true;
	}

	void remove() {
		this.removes = true;
	}

	@Override
	public boolean removesGate() {
		return this.removes;
	}

	@Override
	public @Nullable Hold renewed() {
		Waiter granted = this.renews ? this.woken : null;
		return (granted != null) ? granted.hold() : null;
	}

	@Override
	public @Nullable Waiter woken() {
		return this.woken;
	}

	@Override
	public @Nullable StoreClaim ended() {
		return this.ended;
	}

	@Override
	public @Nullable Claim released() {
		return this.released;
	}

	@Override
	public @Nullable StoreClaim requested() {
		return this.requested;
	}

	@Override
	public int plan() {
		return this.plan;
	}

	@Override
	public Duration delay() {
		return this.delay;
	}

	@Override
	public boolean listens() {
		return this.listens;
	}

}
