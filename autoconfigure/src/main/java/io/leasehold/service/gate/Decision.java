package io.leasehold.service.gate;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.leasehold.LockLostException;
import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Decision of a gate about one event: any number of actions, often none. They are added
 * under the gate's monitor and carried out after it was left.
 */
public final class Decision {

	private static final RareActions NOTHING = new RareActions();

	private @Nullable Waiter woken;

	@Nullable StoreClaim first;

	@Nullable Hold freed;

	boolean startsWait;

	boolean entersAgain;

	boolean closes;

	boolean removes;

	private RareActions rare = NOTHING;

	/** Return the actions that few decisions contain, to be added to. */
	RareActions rare() {
		if (this.rare == NOTHING) {
			this.rare = new RareActions();
		}
		return this.rare;
	}

	/** Add a waiter to wake, after those added before. It must not be in a queue. */
	Decision wake(Waiter waiter) {
		this.woken = Link.add(this.woken, waiter);
		return this;
	}

	void end(StoreClaim claim) {
		NextRequest planned = claim.planned();
		if (planned != null) {
			rare().ended = planned;
		}
	}

	void release(Claim claim, Duration after) {
		rare().released = claim;
		rare().delay = after;
	}

	/** Release a claim that ended during its request, unless nothing must be released. */
	void releaseAfterResponse(StoreClaim claim) {
		Duration after = claim.releaseAfterResponse();
		if (after != null) {
			release(claim.claim(), after);
		}
	}

	Decision request(StoreClaim claim, Duration after) {
		rare().requested = claim;
		rare().plan = claim.next().plan();
		rare().delay = after;
		return this;
	}

	/**
	 * Return whether the waiter must enter again: the gate is out of use, or one of its
	 * holds has expired unnoticed and must be marked as lost first.
	 */
	public boolean entersAgain() {
		return this.entersAgain;
	}

	/**
	 * Return the claim of a waiter that entered, which must be requested now. If the
	 * waiter has a thread, that sends the request, which has begun. {@code null} if the
	 * waiter has its result or is queued.
	 */
	public @Nullable StoreClaim first() {
		return this.first;
	}

	/** Return whether the waiter that entered or sent the request begins to wait. */
	public boolean startsWait() {
		return this.startsWait;
	}

	/** Return the caller's own hold for which it waits, if a warning of that is due. */
	public @Nullable Hold selfWait() {
		return this.rare.selfWait;
	}

	/** Return whether the gate is out of use. */
	public boolean removesGate() {
		return this.removes;
	}

	/** Return the hold whose grant must be renewed at once, {@code null} for none. */
	public @Nullable Hold renewed() {
		return this.rare.renewed;
	}

	/** Return whether the renewals that wait for their time must be sent at once. */
	public boolean hurries() {
		return this.rare.hurries;
	}

	/**
	 * Return the first of the waiters to wake, each with a result. A granted hold must be
	 * watched before its waiter is woken.
	 */
	public @Nullable Waiter woken() {
		return this.woken;
	}

	/** Return the plan of a claim that is over, which must be stopped. */
	public @Nullable NextRequest ended() {
		return this.rare.ended;
	}

	/** Return a claim that must be released after the delay. */
	public @Nullable Claim released() {
		return this.rare.released;
	}

	/** Return a claim that must be requested after the delay. */
	public @Nullable StoreClaim requested() {
		return this.rare.requested;
	}

	/** Return the number of the planned request. */
	public int plan() {
		return this.rare.plan;
	}

	/** Return the delay before the request or the release. */
	public Duration delay() {
		return this.rare.delay;
	}

	/** Return whether the busy claim must subscribe to the store's signals. */
	public boolean listens() {
		return this.rare.listens;
	}

	/** Return whether the last handle of a hold that was not lost has been closed. */
	public boolean closes() {
		return this.closes;
	}

	/** Return a closed hold that must be left at the end of its minimum hold. */
	public @Nullable Hold leaving() {
		return this.rare.leaving;
	}

	/**
	 * Return the last hold of a grant that must be released. The gate keeps the key for
	 * it until it is notified of that.
	 */
	public @Nullable Hold freed() {
		return this.freed;
	}

	/**
	 * Return a grant that was parked for the first time, whose return must be planned.
	 */
	public @Nullable Grant parked() {
		return this.rare.parked;
	}

	public @Nullable Loss loss() {
		return this.rare.loss;
	}

	/**
	 * Loss of a hold.
	 *
	 * @param hold the hold that was lost
	 * @param used whether it had an open handle
	 * @param unnoticed whether it was closed, but no release detects the loss
	 * @param actions actions of its holder
	 * @param rest delay before its claim is released, {@code null} if not released now
	 */
	public record Loss(Hold hold, boolean used, boolean unnoticed, List<Consumer<LockLostException>> actions,
			@Nullable Duration rest) {
	}

	/** Actions that few decisions contain, to keep others small. */
	static final class RareActions {

		private @Nullable NextRequest ended;

		private @Nullable StoreClaim requested;

		private int plan;

		private @Nullable Claim released;

		private Duration delay = Duration.ZERO;

		@Nullable Hold renewed;

		@Nullable Hold leaving;

		@Nullable Grant parked;

		@Nullable Loss loss;

		@Nullable Hold selfWait;

		boolean listens;

		boolean hurries;

	}

}
