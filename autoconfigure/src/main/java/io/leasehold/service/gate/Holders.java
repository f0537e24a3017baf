package io.leasehold.service.gate;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.Access;
import org.jspecify.annotations.Nullable;

/**
 * Holders of one key in this process, all with the same access, and their holds. Guarded
 * by the gate's monitor.
 */
final class Holders {

	private @Nullable Hold first;

	/**
	 * Number of holders, including closed ones whose claim is not released yet; negative
	 * once the gate is out of use.
	 */
	private int count;

	/** Access of the present holders, or of the last ones. */
	private Access access = Access.EXCLUSIVE;

	int count() {
		return this.count;
	}

	Access access() {
		return this.access;
	}

	/** Count a further holder, after the store granted the key. */
	void increment(Access granted) {
		this.access = granted;
		this.count++;
	}

	/** Remove a holder from the count, whose claim is released or is being released. */
	void decrement() {
		this.count--;
	}

	/** Put the gate out of use unless the key is held. */
	boolean retire() {
		boolean free = this.count == 0;
		this.count = free ? -1 : this.count;
		return free;
	}

	/** Return whether the gate is out of use. */
	boolean isGone() {
		return this.count < 0;
	}

	/** Return whether a further holder would be compatible with the present ones. */
	boolean accept(Access wanted) {
		return wanted.joins(this.access, this.count);
	}

	/** Return the first of the holds, {@code null} if there is none. */
	@Nullable Hold first() {
		return this.first;
	}

	List<Hold> all() {
		return Link.all(this.first);
	}

	List<KeyState.Held> describe(long now) {
		return all().stream().map((hold) -> new KeyState.Held(hold, hold.use(now), hold.handles())).toList();
	}

	void add(Hold added) {
		this.first = Link.add(this.first, added);
	}

	void remove(Hold removed) {
		this.first = Link.remove(this.first, removed);
	}

	/** End the grant of a hold, too. */
	void end(Hold ended) {
		ended.grant.end();
		remove(ended);
	}

	/** Drop closed holds that remain for their minimum hold; their leases expire. */
	void dropClosed(long now) {
		for (Hold hold : all()) {
			if (hold.isClosed() && hold.minHoldRest(now) > 0) {
				end(hold);
				decrement();
			}
		}
	}

	/** Return the hold that has a grant now, or {@code null}. */
	@Nullable Hold of(Grant grant) {
		return find((hold) -> hold.grant == grant);
	}

	/** Return the hold that a waiter re-enters, or {@code null}. */
	@Nullable Hold reenteredBy(Waiter waiter) {
		return find(waiter::mayReenter);
	}

	/** Return a hold of the caller that it would wait for, or {@code null}. */
	@Nullable Hold ofCaller(Waiter waiter) {
		return find(waiter::isCallerOf);
	}

	/** Return whether a caller could not acquire the key before its call has ended. */
	boolean exclude(Waiter waiter) {
		return find(waiter::waitsInVain) != null;
	}

	boolean anyExpired(long now) {
		return find((hold) -> !hold.isValid(now)) != null;
	}

	private @Nullable Hold find(Predicate<Hold> wanted) {
		Hold hold = this.first;
		while (hold != null && !wanted.test(hold)) {
			hold = hold.next;
		}
		return hold;
	}

	/**
	 * Lose a hold that has expired, or whose grant is no longer in force; if the grant
	 * was passed on, lose the hold that has it now.
	 * @return the loss, {@code null} if the hold had already ended
	 */
	Decision.@Nullable Loss lose(Hold held, LossCause cause, GateRules rules, long now) {
		Hold losing = losing(held, cause);
		if (losing == null) {
			return null;
		}
		Grant grant = losing.grant;
		// At the end of the maximum hold time the key is released, whatever is left of
		// the lease
		long left = (cause == LossCause.MAX_HOLD) ? 0 : grant.remaining(now);
		Duration rest = Duration.ofNanos(left).plus(grant.claim.lockDelay());
		boolean used = losing.isOpened() && !losing.isClosed();
		boolean unnoticed = cause == LossCause.NOT_OWNER && losing.isOpened() && losing.isClosed()
				&& rules.minHoldRest(losing, now) <= 0;
		List<Consumer<LockLostException>> actions = losing.lose(cause);
		end(losing);
		return new Decision.Loss(losing, used, unnoticed, actions, grant.mayRelease(rest) ? rest : null);
	}

	/** A hold whose work may continue is not lost after it was closed. */
	private @Nullable Hold losing(Hold held, LossCause cause) {
		return switch (cause) {
			case CANCELLED, COMMIT_UNKNOWN -> (held.isLinked() && !held.isClosed()) ? held : null;
			case MAX_HOLD, ABANDONED -> held.isLinked() ? held : null;
			default -> held.isLinked() ? held : of(held.grant);
		};
	}

}
