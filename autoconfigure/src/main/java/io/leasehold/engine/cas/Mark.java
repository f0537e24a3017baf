package io.leasehold.engine.cas;

import io.leasehold.engine.Access;

/**
 * Mark of a waiting process in a {@link LockRecord}. While it counts, the key is not
 * granted with another access. Durations are microseconds.
 *
 * @param member id of the process
 * @param access access that it waits for
 * @param poll time until its next poll
 * @param life how long the mark counts after it was written
 * @param stamp write of the record by which it was written
 */
record Mark(String member, Access access, long poll, long life, long stamp) {

	boolean isOf(String member, Access access) {
		return this.member.equals(member) && this.access.equals(access);
	}

}
