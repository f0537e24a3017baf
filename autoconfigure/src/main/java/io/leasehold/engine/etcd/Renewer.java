package io.leasehold.engine.etcd;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.grpc.Status;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Renewal of grants: two requests for up to 127 of them, and one more for each lease of
 * their own that is kept alive.
 */
record Renewer(KeepAlive keepAlive, OwnLeases ownLeases, LiveClaims claims) {

	/** A transaction has at most 128 operations by default; one reads the session. */
	static final int BATCH = 127;

	List<RenewalOutcome> renew(List<Renewal> renewals, long deadline) {
		Map<Renewal, RenewalOutcome> outcomes = new HashMap<>();
		Map<Session, List<Due>> bySession = new LinkedHashMap<>();
		for (Renewal renewal : renewals) {
			LiveClaim live = this.claims.find(renewal.claim());
			Session session = (live != null) ? live.session() : null;
			if (live == null || session == null || session.isLost() || !live.isHeld()
					|| live.number() != renewal.number()) {
				outcomes.put(renewal, new RenewalOutcome.NotOwner());
			}
			else {
				bySession.computeIfAbsent(session, (first) -> new ArrayList<>()).add(new Due(live, renewal));
			}
		}
		bySession.forEach((session, due) -> {
			for (int i = 0; i < due.size(); i += BATCH) {
				renew(session, due.subList(i, Math.min(i + BATCH, due.size())), outcomes, deadline);
			}
		});
		return renewals.stream().map(outcomes::get).toList();
	}

	private void renew(Session session, List<Due> batch, Map<Renewal, RenewalOutcome> outcomes, long deadline) {
		try {
			List<Due> secured = secure(session, batch, outcomes, deadline);
			KeepAlive.Pulse pulse = this.keepAlive.send(session, secured.stream().map(Due::live).toList(), deadline);
			secured.forEach((due) -> outcomes.put(due.renewal, outcome(session, due, pulse)));
			batch.forEach((due) -> outcomes.putIfAbsent(due.renewal, new RenewalOutcome.NotOwner()));
		}
		catch (EtcdException ex) {
			batch.forEach((due) -> outcomes.put(due.renewal, unknown(due.renewal, ex)));
		}
	}

	/**
	 * Omit lost keys: a lease that remains for a minimum hold is not extended. A store
	 * without space rejects new leases, but keeps the locks alive that need none.
	 */
	private List<Due> secure(Session session, List<Due> batch, Map<Renewal, RenewalOutcome> outcomes, long deadline)
			throws EtcdException {
		List<Due> secured = new ArrayList<>(batch.size());
		for (Due due : batch) {
			try {
				if (this.ownLeases.secure(due.live, session, due.renewal.lease(), deadline)) {
					secured.add(due);
				}
			}
			catch (EtcdException ex) {
				if (!ex.isRejection()) {
					throw ex;
				}
				outcomes.put(due.renewal, unknown(due.renewal, ex));
			}
		}
		return secured;
	}

	private static RenewalOutcome outcome(Session session, Due due, KeepAlive.Pulse pulse) {
		if (!pulse.held().contains(due.live)) {
			return new RenewalOutcome.NotOwner();
		}
		if (!pulse.proven()) {
			return unknown(due.renewal, new EtcdException(Status.Code.ABORTED,
					"etcd's leader changed during the renewal, or did not extend the lease of this process", null));
		}
		@Nullable Long validUntil = due.live.grant(pulse.sent(), due.renewal.lease());
		return (validUntil != null) ? new RenewalOutcome.Renewed(session.earlier(validUntil))
				: new RenewalOutcome.NotOwner();
	}

	private static RenewalOutcome unknown(Renewal renewal, Exception cause) {
		return new RenewalOutcome.Unknown(Failures.of("renew", renewal.claim().key(), cause));
	}

	/**
	 * Renewal of a claim that is held.
	 */
	private record Due(LiveClaim live, Renewal renewal) {
	}

}
