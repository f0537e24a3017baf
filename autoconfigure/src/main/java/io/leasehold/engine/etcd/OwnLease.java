package io.leasehold.engine.etcd;

import java.time.Duration;

/**
 * Lease of a single claim, which outlives the session: for a minimum hold or a lock
 * delay.
 *
 * @param id id of the lease
 * @param length how long the store keeps it without a keep-alive
 * @param end until when it certainly lasts without a keep-alive
 * @param isKeptAlive whether renewals extend it. Otherwise it ends with the minimum hold
 */
record OwnLease(long id, Duration length, long end, boolean isKeptAlive) {
}
