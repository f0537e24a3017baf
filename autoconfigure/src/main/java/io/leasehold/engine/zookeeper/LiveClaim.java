package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.support.SessionClaim;
import org.jspecify.annotations.Nullable;

/**
 * State of a claim in this process. Thread-safe; never blocks while it holds its monitor.
 */
final class LiveClaim extends SessionClaim {

	private final String id;

	private final String container;

	private final Turn turn = new Turn();

	private @Nullable CompletableFuture<LockNode> creation;

	/** Number of the session in which the creation was requested. */
	private int creationSession;

	private @Nullable CompletableFuture<ReleaseOutcome> removal;

	/** Number of the session in which the removal was requested. */
	private int removalSession;

	/** Whether a node of this claim with an unknown path may exist. */
	private boolean strays;

	/** Whether its node shows others that its grant lingers. */
	private boolean lingers;

	/** When the data was sent by which its node shows the beginning of its grant. */
	private long shown;

	/** When it was granted first, defined only if it was granted. */
	private long grantedAt;

	/** Number of the connection that last confirmed the grant's node. */
	private volatile int seenThrough;

	LiveClaim(Claim claim, String id, String container) {
		super(claim);
		this.id = id;
		this.container = container;
	}

	/** Return the part of its nodes' names that is unique to this claim. */
	String id() {
		return this.id;
	}

	String container() {
		return this.container;
	}

	/** Return the notification of its turn, used while it waits. */
	Turn turn() {
		return this.turn;
	}

	/** Return the creation of its node, in flight or completed, or {@code null}. */
	synchronized @Nullable CompletableFuture<LockNode> creation() {
		return this.creation;
	}

	/** Start to create its node in the session of this number. */
	synchronized CompletableFuture<LockNode> create(int in, Supplier<CompletableFuture<LockNode>> creator)
			throws TimeoutException {
		if (isOver()) {
			throw Failures.ended();
		}
		CompletableFuture<LockNode> begun = creator.get();
		this.creation = begun;
		this.creationSession = in;
		return begun;
	}

	/** Discard a creation that failed, or a node of another session. */
	synchronized void discardUnless(long session) {
		LockNode known = node();
		boolean failed = this.creation != null && this.creation.isCompletedExceptionally();
		if (failed || (known != null && known.session() != session)) {
			discard();
		}
	}

	/**
	 * Discard a creation without a response whose session has ended: ZooKeeper's client
	 * may have lost the response, so that Curator does not retry.
	 * @param present number of the present session
	 * @return the discarded creation; its node may still be created
	 */
	synchronized @Nullable CompletableFuture<LockNode> discardWithoutResponse(int present) {
		CompletableFuture<LockNode> current = this.creation;
		if (current == null || current.isDone() || this.creationSession == present) {
			return null;
		}
		discard();
		return current;
	}

	/** Discard its node, which may remain in the store. */
	synchronized void discard() {
		this.creation = null;
		this.turn.forget();
		this.strays = true;
	}

	/** Return its node, or {@code null} if it is unknown. */
	synchronized @Nullable LockNode node() {
		CompletableFuture<LockNode> current = this.creation;
		boolean known = current != null && current.isDone() && !current.isCompletedExceptionally();
		return (current != null && known) ? current.join() : null;
	}

	/** Record that another node of this claim may exist. */
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
	 * Record that its node shows from now on how long it has held its key.
	 * @return that time, for the data of the node
	 */
	synchronized Duration recordShown(long now) {
		this.shown = now;
		return wasGranted() ? Duration.ofNanos(now - this.grantedAt) : Duration.ZERO;
	}

	/**
	 * Record when it was granted, unless there was a grant.
	 * @return how much earlier its node shows a grant, because it has waited
	 */
	synchronized long beginGrant(long now) {
		if (!wasGranted()) {
			this.grantedAt = now;
		}
		return this.grantedAt - this.shown;
	}

	/** Record whether its node shows others that its grant lingers. */
	synchronized void linger(boolean shown) {
		this.lingers = shown;
	}

	synchronized boolean lingers() {
		return this.lingers;
	}

	/**
	 * Return the removal of its nodes, in flight or completed. It is repeated if it
	 * failed, or if it has no response although its session has ended.
	 * @param present number of the present session
	 */
	synchronized CompletableFuture<ReleaseOutcome> removal(int present,
			Supplier<CompletableFuture<ReleaseOutcome>> remover) {
		CompletableFuture<ReleaseOutcome> current = this.removal;
		boolean pending = current != null && !current.isDone() && this.removalSession != present;
		if (current == null || current.isCompletedExceptionally() || pending) {
			this.removalSession = present;
			current = remover.get();
			this.removal = current;
		}
		return current;
	}

	/** Record that its node existed, in the session of this connection. */
	synchronized void seenThrough(int connection) {
		this.seenThrough = Math.max(this.seenThrough, connection);
	}

	boolean wasSeenThrough(int connection) {
		return this.seenThrough == connection;
	}

}
