package io.leasehold.engine.zookeeper;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One round trip for all grants that are due: a request to the leader, which is the
 * session's heartbeat, and behind it a look at each node.
 */
final class RenewalBatch {

	private final Store store;

	private final Map<String, LiveClaim> claims;

	private final MonotonicClock clock;

	RenewalBatch(Store store, Map<String, LiveClaim> claims, MonotonicClock clock) {
		this.store = store;
		this.claims = claims;
		this.clock = clock;
	}

	List<RenewalOutcome> renew(List<Renewal> renewals, long deadline) {
		try {
			return ask(renewals, deadline);
		}
		catch (KeeperException | TimeoutException ex) {
			return Collections.nCopies(renewals.size(), new RenewalOutcome.Unknown(ex));
		}
	}

	private List<RenewalOutcome> ask(List<Renewal> renewals, long deadline) throws KeeperException, TimeoutException {
		if (!this.store.isConnected()) {
			throw KeeperException.create(Code.CONNECTIONLOSS);
		}
		int interruptions = this.store.interruptions();
		Store.Session session = this.store.session();
		long sent = this.clock.nanoTime();
		CompletableFuture<?> heartbeat = this.store.sync("/");
		List<@Nullable CompletableFuture<Stat>> looks = new ArrayList<>(renewals.size());
		renewals.forEach((renewal) -> looks.add(look(renewal, session)));
		Store.await(heartbeat, deadline);
		List<RenewalOutcome> outcomes = new ArrayList<>(renewals.size());
		for (int i = 0; i < renewals.size(); i++) {
			outcomes.add(outcome(renewals.get(i), looks.get(i), session, sent, deadline));
		}
		if (interruptions != this.store.interruptions() || !session.equals(this.store.session())) {
			throw KeeperException.create(Code.CONNECTIONLOSS); // answered through which
																// session?
		}
		return outcomes;
	}

	/** Null if there is nothing to look at: the grant is over here, or its session. */
	private @Nullable CompletableFuture<Stat> look(Renewal renewal, Store.Session session) {
		LiveClaim live = this.claims.get(renewal.claim().owner().token());
		LockNode node = (live != null && live.isHeld()) ? live.node() : null;
		return (node != null && node.session() == session.id()) ? this.store.stat(node.path()) : null;
	}

	private RenewalOutcome outcome(Renewal renewal, @Nullable CompletableFuture<Stat> look, Store.Session session,
			long sent, long deadline) {
		LiveClaim live = this.claims.get(renewal.claim().owner().token());
		if (look == null || live == null) {
			return new RenewalOutcome.NotOwner();
		}
		try {
			if (Store.await(look, deadline).getCzxid() != renewal.number() || !live.isHeld()) {
				return new RenewalOutcome.NotOwner();
			}
			return new RenewalOutcome.Renewed(session.earlier(live.grant(sent, renewal.lease()), sent));
		}
		catch (KeeperException.NoNodeException ex) {
			return new RenewalOutcome.NotOwner();
		}
		catch (KeeperException | TimeoutException ex) {
			return new RenewalOutcome.Unknown(ex);
		}
	}

}
