package io.leasehold.engine.etcd;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Search for claims whose sessions have ended, and whose keys stay on leases of their
 * own.
 */
record EndedSessions(Store store, EtcdKeys keys) {

	/**
	 * Return the sessions of claims that have ended. Sends a request only if a claim
	 * {@linkplain ClaimValue#session ends} with its session.
	 * @param claims keys of claims with their values
	 * @return ids of the sessions
	 */
	Set<Long> of(List<KeyValue> claims, long deadline) throws EtcdException, TimeoutException {
		Set<Long> sessions = claims.stream()
			.map((claim) -> ClaimValue.session(claim.value()))
			.filter((session) -> session != 0)
			.collect(Collectors.toSet());
		if (!sessions.isEmpty()) {
			Set<String> present = this.store.list(Operation.names(this.keys.sessions()), deadline)
				.stream()
				.map(KeyValue::key)
				.collect(Collectors.toSet());
			sessions.removeIf((session) -> present.contains(this.keys.session(session)));
		}
		return sessions;
	}

}
