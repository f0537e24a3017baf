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

	private final List<ClaimName> claims;

	private final int holders;

	private ClaimOrder(List<ClaimName> claims) {
		this.claims = claims;
		this.holders = countHolders();
	}

	/** Create the order of keys, the earliest first. */
	static ClaimOrder of(Collection<String> keys) {
		return new ClaimOrder(keys.stream().map(ClaimName::of).toList());
	}

	private int countHolders() {
		int count = 0;
		while (count < this.claims.size()
				&& this.claims.get(count).access().joins(this.claims.get(0).access(), count)) {
			count++;
		}
		return count;
	}

	/** Return the access of the holders; there must be at least one. */
	Access held() {
		return this.claims.get(0).access();
	}

	/** Return whether the claim of a position holds the lock. */
	boolean holds(int position) {
		return position < this.holders;
	}

	/** Return whether the last claim holds the lock. */
	boolean lastHolds() {
		return this.holders == this.claims.size();
	}

	ClaimOrder without(Collection<String> keys) {
		return new ClaimOrder(this.claims.stream().filter((claim) -> !keys.contains(claim.key())).toList());
	}

	/**
	 * Return the key whose removal the last claim, which does not hold the lock, has to
	 * wait for: that of the last incompatible claim before it.
	 * @return {@code null} if it waits for any of several permits
	 */
	@Nullable String obstacle() {
		int last = this.claims.size() - 1;
		Access access = this.claims.get(last).access();
		int alike = (access.limit() > 1) ? alikeBefore(last) : 0;
		return (alike < Math.min(last, access.limit())) ? this.claims.get(last - 1 - alike).key() : null;
	}

	private int alikeBefore(int position) {
		Access access = this.claims.get(position).access();
		int count = 0;
		while (count < position && this.claims.get(position - 1 - count).access().equals(access)) {
			count++;
		}
		return count;
	}

}
