package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of a claim from its first request to its confirmed end. Never
 * waits for anything while its monitor is held.
 */
final class LiveClaim {

	private final Claim claim;

	private final String id;

	private final String container;

	private final Turn turn = new Turn();

	private @Nullable CompletableFuture<LockNode> creation;

	/** Number of the session in which the creation was requested. */
	private int creationSession;

	private @Nullable CompletableFuture<ReleaseOutcome> removal;

	/** Number of the session in which the removal was requested. */
	private int removalSession;

	/** Whether a node may exist whose path is not known. */
	private boolean strays;

	private boolean granted;

	private boolean over;

	private boolean ends;

	private boolean expired;

	/** Number of the connection through which the node of the grant was seen last. */
	private volatile int seenThrough;

	/** When the lease is over, if it ends. */
	private long leaseEnd;

	private long validUntil;

	LiveClaim(Claim claim, String id, String container) {
		this.claim = claim;
		this.id = id;
		this.container = container;
	}

	Claim claim() {
		return this.claim;
	}

	/** Part of the names of its nodes, unlike any other claim's. */
	String id() {
		return this.id;
	}

	String container() {
		return this.container;
	}

	/** How it learns of its turn while it waits. */
	Turn turn() {
		return this.turn;
	}

	/** The creation of its node, under way or done, if there was one. */
	synchronized @Nullable CompletableFuture<LockNode> creation() {
		return this.creation;
	}

	/** Begin to create its node in the session of this number. */
	synchronized CompletableFuture<LockNode> create(int in, Supplier<CompletableFuture<LockNode>> creator) {
		if (this.over) {
			throw new IllegalStateException("A claim on lock '%s' is over".formatted(this.claim.key()));
		}
		CompletableFuture<LockNode> begun = creator.get();
		this.creation = begun;
		this.creationSession = in;
		return begun;
	}

	/** Forget a creation that failed, and a node that another session keeps. */
	synchronized void discardUnless(long session) {
		LockNode known = node();
		boolean failed = this.creation != null && this.creation.isCompletedExceptionally();
		if (failed || (known != null && known.session() != session)) {
			discard();
		}
	}

	/**
	 * Forget a creation that is not answered though its session is over: ZooKeeper's
	 * client may have lost the answer, and with it what Curator would repeat.
	 * @param present number of the present session
	 * @return the forgotten creation, which may create a node nevertheless
	 */
	synchronized @Nullable CompletableFuture<LockNode> discardUnanswered(int present) {
		CompletableFuture<LockNode> current = this.creation;
		if (current == null || current.isDone() || this.creationSession == present) {
			return null;
		}
		discard();
		return current;
	}

	/** Its node does not count any more. */
	synchronized void discard() {
		this.creation = null;
		this.turn.forget();
		this.strays = true;
	}

	/** The node, if it is known. */
	synchronized @Nullable LockNode node() {
		CompletableFuture<LockNode> current = this.creation;
		boolean known = current != null && current.isDone() && !current.isCompletedExceptionally();
		return (current != null && known) ? current.join() : null;
	}

	/** A node of its own may exist beside the one that is known. */
	synchronized void expectStrays() {
		this.strays = true;
	}

	/** Whether the store may have a node of it. */
	synchronized boolean mayHaveNodes() {
		return this.creation != null || this.strays;
	}

	synchronized boolean hasStrays() {
		return this.strays;
	}

	/**
	 * Count the lease from a request on, never shortening it. Return until when it is
	 * valid, or {@code null} if the claim has ended meanwhile and its node is removed.
	 */
	synchronized @Nullable Long grant(long sent, Duration lease) {
		if (this.over) {
			return null;
		}
		long end = sent + lease.toNanos();
		long valid = MonotonicClock.validUntil(sent, lease);
		this.leaseEnd = (!this.granted || end - this.leaseEnd > 0) ? end : this.leaseEnd;
		this.validUntil = (!this.granted || valid - this.validUntil > 0) ? valid : this.validUntil;
		this.granted = true;
		this.ends = true;
		return this.validUntil;
	}

	/** Whether it has the key as far as is known here. */
	synchronized boolean isHeld() {
		return this.granted && !this.over;
	}

	synchronized boolean wasGranted() {
		return this.granted;
	}

	/** End it: no request but the removal of its node is made any more. */
	synchronized void end(long now) {
		if (!this.over && !this.granted) {
			this.leaseEnd = now + this.claim.lease().toNanos();
			this.ends = true;
		}
		this.over = true;
	}

	/**
	 * End it if its lease is over. In one step, since a request for it may be answered at
	 * the same time.
	 * @return whether its node has to be removed
	 */
	synchronized boolean expire(long now) {
		if (!isLeaseOver(now)) {
			return false;
		}
		this.expired |= !this.over;
		end(now);
		return true;
	}

	/** Whether it ended with its lease, and not by a release. */
	synchronized boolean hasExpired() {
		return this.expired;
	}

	synchronized boolean isLeaseOver(long now) {
		return this.ends && now - this.leaseEnd >= 0;
	}

	/**
	 * The removal of its nodes, under way or done. It is repeated if it failed, or if it
	 * is not answered though its session is over: it may have removed them nevertheless.
	 * @param present number of the present session
	 */
	synchronized CompletableFuture<ReleaseOutcome> removal(int present, Removal remover) {
		CompletableFuture<ReleaseOutcome> current = this.removal;
		boolean unanswered = current != null && !current.isDone() && this.removalSession != present;
		if (current == null || current.isCompletedExceptionally() || unanswered) {
			this.removalSession = present;
			current = remover.begin(current != null);
			this.removal = current;
		}
		return current;
	}

	/** Its node was there, in the session of this connection. */
	synchronized void seenThrough(int connection) {
		this.seenThrough = Math.max(this.seenThrough, connection);
	}

	boolean wasSeenThrough(int connection) {
		return this.seenThrough == connection;
	}

	/** Begins a removal. */
	@FunctionalInterface
	interface Removal {

		CompletableFuture<ReleaseOutcome> begin(boolean repeated);

	}

}
