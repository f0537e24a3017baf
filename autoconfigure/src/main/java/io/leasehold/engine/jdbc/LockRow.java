package io.leasehold.engine.jdbc;

import io.leasehold.engine.Access;

/**
 * State of a row that could not be acquired. Times are microseconds from the query on;
 * times in the past are insignificant.
 *
 * @param ownedFor time until the exclusive owner, if there is one, has lost the key
 * @param closedFor time until the minimum hold ends
 * @param hasHolders whether there are concurrent holders, including expired ones
 * @param sharedFor time until the place of the last concurrent holder is free
 * @param sharedAccess access of the concurrent holders
 * @param places how many places are taken
 * @param placeFor time until the first of these places is free
 * @param turnFor time until the turn of waiters with another access ends
 * @param turnAccess access of these waiters
 * @param markedFor time until the waiters' mark expires
 * @param marksClaim whether the claim's process has written this mark
 * @param ownNumber number of the claim's own grant, zero for none
 * @param recallMark mark by which the exclusive owner's grant is recalled, zero if it
 * does not linger
 */
record LockRow(long ownedFor, long closedFor, boolean hasHolders, long sharedFor, Access sharedAccess, int places,
		long placeFor, long turnFor, Access turnAccess, long markedFor, boolean marksClaim, long ownNumber,
		long recallMark) {

	/** Return how long the row stays busy for an access if nothing else changes. */
	long busyFor(Access access) {
		long owned = Math.max(this.ownedFor, this.closedFor);
		long turn = access.equals(this.turnAccess) ? 0 : this.turnFor;
		return Math.max(Math.max(owned, turn), sharedFor(access));
	}

	private long sharedFor(Access access) {
		if (!access.equals(this.sharedAccess)) {
			return this.sharedFor;
		}
		return access.joins(this.sharedAccess, this.places) ? 0 : this.placeFor;
	}

	/** Return whether all concurrent holders have expired. */
	boolean hasDeadHolders() {
		return this.hasHolders && this.sharedFor <= 0;
	}

	/** Return whether the key is held with another number of permits. */
	boolean contradicts(Access access) {
		return this.sharedFor > 0 && access.contradicts(this.sharedAccess);
	}

	/**
	 * Return whether waiters with an access may have the next turn: the key is held with
	 * another access, and no other waiters have the turn.
	 */
	boolean offersTurn(Access access) {
		boolean heldOtherwise = this.sharedFor > 0 ? !access.equals(this.sharedAccess)
				: this.ownedFor > 0 && !access.equals(Access.EXCLUSIVE);
		return heldOtherwise && (this.turnFor <= 0 || this.turnAccess.equals(access));
	}

}
