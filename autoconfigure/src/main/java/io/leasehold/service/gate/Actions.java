package io.leasehold.service.gate;

import java.time.Duration;

import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * What a gate has decided, for its caller to carry out after it has left the monitor:
 * nothing, one action, or a few that belong together.
 */
public final class Actions {

	/** Nothing is to be done. */
	public static final Actions NONE = new Actions();

	/** The gate is out of use. */
	static final Actions REMOVE = new Actions();

	static {
		REMOVE.remove();
	}

	/** The claim of the hold that was left is to be released. */
	public static final Actions RELEASE = new Actions();

	/** The grant is to be extended before it can be passed on. */
	static final Actions EXTEND = new Actions();

	private @Nullable Waiter woken;

	private @Nullable StoreClaim ended;

	private @Nullable Claim released;

	private @Nullable StoreClaim requested;

	private int plan;

	private Duration delay = Duration.ZERO;

	private boolean listens;

	private boolean removes;

	/** Wake a waiter, after those that are woken already. Not one in a queue. */
	void wake(Waiter waiter) {
		this.woken = Link.add(this.woken, waiter);
	}

	void end(StoreClaim claim) {
		this.ended = claim.hasResources() ? claim : null;
	}

	void release(Claim claim, Duration after) {
		this.released = claim;
		this.delay = after;
	}

	void request(StoreClaim claim, Duration after) {
		this.requested = claim;
		this.plan = claim.plan();
		this.delay = after;
	}

	void listen() {
		this.listens = true;
	}

	void remove() {
		this.removes = true;
	}

	/** Whether the gate is out of use. */
	public boolean removesGate() {
		return this.removes;
	}

	/** Whether the first renewals of short grants are to be sent now. */
	public boolean extendsGrant() {
		return this == EXTEND;
	}

	/**
	 * First of the waiters that have a result, by which those of a hold are to be
	 * watched, before all are woken.
	 */
	public @Nullable Waiter woken() {
		return this.woken;
	}

	/** A claim that is over, whose timer and listener are to be stopped. */
	public @Nullable StoreClaim ended() {
		return this.ended;
	}

	/** A claim that is to be released. */
	public @Nullable Claim released() {
		return this.released;
	}

	/** A claim for which a request is to be sent. */
	public @Nullable StoreClaim requested() {
		return this.requested;
	}

	/** Number of the planned request. */
	public int plan() {
		return this.plan;
	}

	/** When the request is to be sent, or the claim is to be released. */
	public Duration delay() {
		return this.delay;
	}

	/** Whether the claim that was answered is to listen to the store. */
	public boolean listens() {
		return this.listens;
	}

}
