package io.leasehold.engine.etcd;

import java.util.Collection;
import java.util.List;

import io.leasehold.engine.Access;
import org.jspecify.annotations.Nullable;

/**
 * Claims on a lock in the order of their creation. The first ones, up to the first
 * incompatible one, hold the lock; no claim passes a waiting claim. Immutable.
 */
final class ClaimOrder {

	private final List<String> keys;

	private final List<Access> accesses;

	private final int holders;

	/** Create the order of keys, the earliest first. */
	ClaimOrder(List<String> keys) {
		this.keys = List.copyOf(keys);
		this.accesses = keys.stream().map(EtcdKeys::access).toList();
		this.holders = countHolders();
	}

	private int countHolders() {
		int count = 0;
		while (count < this.accesses.size() && this.accesses.get(count).joins(this.accesses.get(0), count)) {
			count++;
		}
		return count;
	}

	/** Return the access of the holders; there must be at least one. */
	Access held() {
		return this.accesses.get(0);
	}

	/** Return whether the claim of a position holds the lock. */
	boolean holds(int position) {
		return position < this.holders;
	}

	/** Return whether the last claim holds the lock. */
	boolean lastHolds() {
		return this.holders == this.keys.size();
	}

	ClaimOrder without(Collection<String> removed) {
		return new ClaimOrder(this.keys.stream().filter((key) -> !removed.contains(key)).toList());
	}

	/**
	 * Return the key whose removal the last claim, which does not hold the lock, has to
	 * wait for: that of the last incompatible claim before it.
	 * @return {@code null} if it waits for any of several permits
	 */
	@Nullable String obstacle() {
		int last = this.keys.size() - 1;
		Access access = this.accesses.get(last);
		int alike = (access.limit() > 1) ? alikeBefore(last) : 0;
		return (alike < Math.min(last, access.limit())) ? this.keys.get(last - 1 - alike) : null;
	}

	private int alikeBefore(int position) {
		int count = 0;
		while (count < position && this.accesses.get(position - 1 - count).equals(this.accesses.get(position))) {
			count++;
		}
		return count;
	}

}
