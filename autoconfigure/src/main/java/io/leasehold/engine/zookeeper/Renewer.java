package io.leasehold.engine.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.support.Deadlines;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Renewal of all due grants in one round trip: a write, which is the session's heartbeat,
 * followed by a check of each node. A write proves more than a <em>sync</em>, to which a
 * leader responds without a check that it still has followers.
 */
record Renewer(Store store, LiveClaims claims, NodePaths paths, MonotonicClock clock) {

	/**
	 * Maximum number of checks in flight. A late response is useless and delays those of
	 * the next batch: with many thousands of checks, none would be in time.
	 */
	private static final int AHEAD = 1_000;

	List<RenewalOutcome> renew(List<Renewal> renewals, long deadline) {
		try {
			return request(renewals, deadline);
		}
		catch (KeeperException | TimeoutException ex) {
			return renewals.stream().map((renewal) -> unknown(renewal, ex)).toList();
		}
	}

	private static RenewalOutcome unknown(Renewal renewal, Exception cause) {
		return new RenewalOutcome.Unknown(Failures.of("renew", renewal.claim().key(), cause));
	}

	private List<RenewalOutcome> request(List<Renewal> renewals, long deadline)
			throws KeeperException, TimeoutException {
		if (!this.store.isConnected()) {
			throw KeeperException.create(Code.CONNECTIONLOSS);
		}
		Connection connection = this.store.connection();
		long sent = this.clock.nanoTime();
		CompletableFuture<?> heartbeat = this.store.write(this.paths.root(), new byte[0]);
		List<@Nullable CompletableFuture<Stat>> reads = new ArrayList<>(renewals.size());
		readAhead(renewals, reads, AHEAD, connection);
		Store.await(heartbeat, deadline);
		List<RenewalOutcome> outcomes = new ArrayList<>(renewals.size());
		for (int i = 0; i < renewals.size(); i++) {
			if (Deadlines.left(deadline) > 0) {
				readAhead(renewals, reads, i + AHEAD, connection);
			}
			outcomes.add((i < reads.size()) ? outcome(renewals.get(i), reads.get(i), connection, sent, deadline)
					: unknown(renewals.get(i), new TimeoutException("no time was left to send the request")));
		}
		if (!connection.equals(this.store.connection())) {
			// Another session may have responded
			throw KeeperException.create(Code.CONNECTIONLOSS);
		}
		return outcomes;
	}

	private void readAhead(List<Renewal> renewals, List<@Nullable CompletableFuture<Stat>> reads, int count,
			Connection connection) {
		while (reads.size() < Math.min(count, renewals.size())) {
			reads.add(read(renewals.get(reads.size()), connection));
		}
	}

	/**
	 * Check a grant's node; null if the grant or its session has ended. A write shows
	 * others that the grant lingers no more.
	 */
	private @Nullable CompletableFuture<Stat> read(Renewal renewal, Connection connection) {
		LiveClaim live = this.claims.find(renewal.claim());
		LockNode node = (live != null && live.isHeld()) ? live.node() : null;
		if (live == null || node == null || node.session() != connection.session()) {
			return null;
		}
		return live.lingers() ? this.store
			.overwrite(node.path(), LockNode.data(live.claim(), live.recordShown(this.clock.nanoTime())))
			.thenApply(CuratorEvent::getStat) : this.store.stat(node.path());
	}

	private RenewalOutcome outcome(Renewal renewal, @Nullable CompletableFuture<Stat> read, Connection connection,
			long sent, long deadline) {
		LiveClaim live = this.claims.find(renewal.claim());
		if (read == null || live == null) {
			return new RenewalOutcome.NotOwner();
		}
		try {
			if (LockNode.number(Store.await(read, deadline).getCzxid()) != renewal.number() || !live.isHeld()) {
				return new RenewalOutcome.NotOwner();
			}
			live.linger(false);
			live.seenThrough(connection.number());
			Long validUntil = live.grant(sent, renewal.lease());
			return (validUntil != null) ? new RenewalOutcome.Renewed(connection.earlier(validUntil, sent))
					: new RenewalOutcome.NotOwner();
		}
		catch (KeeperException.NoNodeException ex) {
			return new RenewalOutcome.NotOwner();
		}
		catch (KeeperException | TimeoutException ex) {
			return unknown(renewal, ex);
		}
	}

	/**
	 * Check after a break which nodes still exist because their session survived. Never
	 * blocks; grants whose nodes are not confirmed stay in doubt.
	 */
	void recheck() throws KeeperException {
		Connection connection = this.store.connection();
		for (LiveClaim live : this.claims.all()) {
			LockNode node = live.isHeld() ? live.node() : null;
			if (node != null && node.session() == connection.session()) {
				this.store.stat(node.path()).thenAccept((stat) -> {
					if (node.is(stat)) {
						live.seenThrough(connection.number());
					}
				});
			}
		}
	}

}
