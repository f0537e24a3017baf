package io.leasehold.engine.cas;

import io.leasehold.engine.Access;

/**
 * Place that a grant takes in a {@link LockRecord}. Durations are microseconds, and start
 * when the place was written.
 *
 * @param owner token of the owner
 * @param access access of the owner
 * @param number grant number
 * @param since time of the grant in milliseconds by the owner's wall clock, for display
 * @param lease length of the lease; zero after a release
 * @param delay how long the place stays taken after the lease
 * @param closed rest of the minimum hold
 * @param stamp write of the record by which the place was last written
 */
record Place(String owner, Access access, long number, long since, long lease, long delay, long closed, long stamp) {

	/** Return how long the place is taken if it is not written again. */
	long length() {
		return Math.max(this.lease + this.delay, this.closed);
	}

	Place renewed(long lease, long closed, long stamp) {
		return new Place(this.owner, this.access, this.number, this.since, lease, this.delay, closed, stamp);
	}

	/** Return this place without its owner: only the minimum hold is left. */
	Place released(long closed, long stamp) {
		return new Place(this.owner, this.access, this.number, this.since, 0, 0, closed, stamp);
	}

	/** Return whether it may end later than its lease. */
	boolean outlivesItsLease() {
		return this.delay > 0 || this.closed > this.lease;
	}

}
