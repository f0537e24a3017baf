package io.leasehold.soak;

import io.leasehold.test.contract.History.Interval;

/**
 * A time in which a cluster may have been split in two.
 *
 * @param begin when it was split at the earliest
 * @param end when nobody believed in a lock of a former part any more, at the latest
 */
record Split(long begin, long end) {

	boolean touches(Interval hold) {
		return hold.ended() - this.begin >= 0 && this.end - hold.requested() >= 0;
	}

}
