package io.leasehold.service.gate;

import java.time.Duration;

import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Decision of a gate: no action, one action, or a few related ones. The caller carries it
 * out after it has left the monitor.
 */
public final class Actions {

	public static final Actions NONE = new Actions();

	/** Removal of the gate, which is out of use. */
	static final Actions REMOVE = new Actions();

	static {
		REMOVE.remove();
	}

	/** Release of the claim of the closed hold. */
	public static final Actions RELEASE = new Actions();

	/** Plan of the return of a grant that was parked for the first time. */
	public static final Actions PARKED = new Actions();

	/** Extension of the grant, before it can be passed on. */
	static final Actions EXTEND = new Actions();

	private @Nullable Waiter woken;

	private @Nullable ClaimActions claims;

	private boolean renews;

	private boolean removes;

	/** Add a waiter to wake, after those added before. It must not be in a queue. */
	void wake(Waiter waiter) {
		this.woken = Link.add(this.woken, waiter);
	}

	void end(StoreClaim claim) {
		if (claim.hasResources()) {
			claims().ended = claim;
		}
	}

	void release(Claim claim, Duration after) {
		claims().released = claim;
		claims().delay = after;
	}

	/** Release a claim that ended during its request, unless nothing must be released. */
	void releaseAfterResponse(StoreClaim claim) {
		Duration after = claim.releaseAfterResponse();
		if (after != null) {
			release(claim.claim(), after);
		}
	}

	void request(StoreClaim claim, Duration after) {
		claims().requested = claim;
		claims().plan = claim.plan();
		claims().delay = after;
	}

	void listen() {
		claims().listens = true;
	}

	/** Renew the grant of the first waiter to wake. */
	void renew() {
		this.renews = true;
	}

	void remove() {
		this.removes = true;
	}

	/** Return whether the gate is out of use. */
	public boolean removesGate() {
		return this.removes;
	}

	/** Return whether the first renewals of short grants must be sent now. */
	public boolean extendsGrant() {
		return this == EXTEND;
	}

	/** Return the new hold whose grant must be renewed at once, {@code null} for none. */
	public @Nullable Hold renewed() {
		Waiter granted = this.renews ? this.woken : null;
		return (granted != null) ? granted.hold() : null;
	}

	/**
	 * Return the first of the waiters to wake, each with a result. A granted hold must be
	 * watched before its waiter is woken.
	 */
	public @Nullable Waiter woken() {
		return this.woken;
	}

	/** Return a claim that is over, whose timer and listener must be stopped. */
	public @Nullable StoreClaim ended() {
		return (this.claims != null) ? this.claims.ended : null;
	}

	public @Nullable Claim released() {
		return (this.claims != null) ? this.claims.released : null;
	}

	public @Nullable StoreClaim requested() {
		return (this.claims != null) ? this.claims.requested : null;
	}

	/** Return the number of the planned request. */
	public int plan() {
		return (this.claims != null) ? this.claims.plan : 0;
	}

	/** Return the delay before the request or the release. */
	public Duration delay() {
		return (this.claims != null) ? this.claims.delay : Duration.ZERO;
	}

	/** Return whether the busy claim must subscribe to the store's signals. */
	public boolean listens() {
		return this.claims != null && this.claims.listens;
	}

	private ClaimActions claims() {
		ClaimActions actions = this.claims;
		if (actions == null) {
			actions = new ClaimActions();
			this.claims = actions;
		}
		return actions;
	}

	/** Actions for claims at the store, which a granted key usually does not need. */
	private static final class ClaimActions {

		private @Nullable StoreClaim ended;

		private @Nullable Claim released;

		private @Nullable StoreClaim requested;

		private int plan;

		private Duration delay = Duration.ZERO;

		private boolean listens;

	}

}
