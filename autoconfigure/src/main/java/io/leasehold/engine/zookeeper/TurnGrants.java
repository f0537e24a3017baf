package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RenewalRule;
import io.leasehold.engine.support.SessionClaim;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * Grants of waiting claims whose turn has come. The server runs a write only in a live
 * session. If one ran recently, a grant counts from it, and needs no further write.
 * Thread-safe; never blocks.
 */
final class TurnGrants {

	private final Store store;

	private final MonotonicClock clock;

	private volatile Write last = new Write(-1, 0, 0);

	TurnGrants(Store store, MonotonicClock clock) {
		this.store = store;
		this.clock = clock;
	}

	/** Return a write that is about to be sent. */
	Write write(Connection connection) {
		long now = this.clock.nanoTime();
		return new Write(connection.number(), now, this.clock.wallClockOffset(now));
	}

	/** Record that a write ran. */
	void written(Write write) {
		this.last = write;
	}

	/**
	 * Return the clock reading from which the grant of a waiting claim counts: when the
	 * last write was sent, at most a tenth of the validity and a second ago.
	 * @return {@code null} if a write must precede the grant. Some claims always need one
	 * of their node: it notifies the successor of a permit, and shows that a grant does
	 * not linger
	 */
	@Nullable Long provenSince(LiveClaim live, Connection connection) {
		Write write = this.last;
		Duration longest = RenewalRule.longestLease(connection.timeout());
		long recent = RenewalRule.retryPause(Math.min(live.claim().lease().toNanos(), longest.toNanos()));
		boolean proven = write.connection == connection.number() && age(write) < recent
				&& live.claim().access().kind() != Access.Kind.PERMITS && !live.claim().lingers();
		return proven ? write.sent : null;
	}

	/**
	 * Return the age of a write, including the time for which the machine was suspended.
	 */
	private long age(Write write) {
		long now = this.clock.nanoTime();
		return now - write.sent + Math.abs(this.clock.wallClockOffset(now) - write.clockOffset);
	}

	/**
	 * Grant a claim without a request, because the last node before it was removed.
	 * @return {@code null} if a request must precede the grant
	 */
	AcquisitionOutcome.@Nullable Granted grantNow(LiveClaim live) {
		LockNode node = live.hasStrays() ? null : live.node();
		try {
			Connection connection = this.store.connection();
			Long proven = provenSince(live, connection);
			return (proven != null && node != null && node.session() == connection.session())
					? grant(live, node, connection, proven, false) : null;
		}
		catch (KeeperException ex) {
			return null; // the request will report it
		}
	}

	/**
	 * Return the grant of a node, {@code null} if its claim has ended. After a long wait,
	 * its node is written, and the response is not awaited.
	 */
	AcquisitionOutcome.@Nullable Granted grant(LiveClaim live, LockNode node, Connection connection, long proven,
			boolean lingers) {
		live.seenThrough(connection.number());
		live.linger(lingers);
		boolean hasWaited = live.beginGrant(this.clock.nanoTime()) > SessionClaim.UNSHOWN_WAIT.toNanos();
		Long validUntil = live.grant(proven, live.claim().lease());
		if (validUntil == null) {
			return null;
		}
		if (hasWaited && !lingers) {
			writeGrantTime(live, node);
		}
		return new AcquisitionOutcome.Granted(node.number(), connection.earlier(validUntil, proven),
				lingers ? AcquisitionOutcome.Granted.RESERVED : 0);
	}

	/**
	 * Write a node, to show how long its claim has held the key. The write is repeated
	 * over a broken connection, but not after a rejection.
	 */
	CompletableFuture<Boolean> writeGrantTime(LiveClaim live, LockNode node) {
		return this.store.write(node.path(), LockNode.data(live.claim(), live.recordShown(this.clock.nanoTime())));
	}

	/**
	 * A write, which proves the session once it has run.
	 *
	 * @param connection number of the connection
	 * @param sent clock reading before it was sent
	 * @param clockOffset difference of the wall clock and this clock at that moment
	 */
	record Write(int connection, long sent, long clockOffset) {
	}

}
