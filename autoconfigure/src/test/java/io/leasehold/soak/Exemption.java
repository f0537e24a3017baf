package io.leasehold.soak;

import java.util.Set;

import io.leasehold.test.contract.History.Interval;

/**
 * A time in which a store may have granted some keys twice, as the page of its engine
 * says: its cluster was split in two, it was restarted empty, or a former leader ended
 * leases.
 *
 * @param begin when this was possible at the earliest
 * @param end when nobody believed in a former lock any more, at the latest
 * @param keys the keys
 */
record Exemption(long begin, long end, Set<String> keys) {

	boolean concerns(String key, Interval hold) {
		return this.keys.contains(key) && hold.ended() - this.begin >= 0 && this.end - hold.requested() >= 0;
	}

}
