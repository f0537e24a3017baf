package io.leasehold.engine.jdbc;

import io.leasehold.engine.Access;

/**
 * What a look at a row found that could not be taken. Times are microseconds from then
 * on; what lies back has no meaning any more.
 *
 * @param ownedFor time until an owner of its own, if there is one, has lost it
 * @param closedFor time until no min hold keeps it closed
 * @param hasHolders whether there are holders of places beside others, dead ones included
 * @param sharedFor time until the last place is free that was taken beside others
 * @param sharedAccess access of those who have such places
 * @param places how many such places are taken
 * @param placeFor time until the first of them is free
 * @param turnFor time until the turn of those who wait with another access is over
 * @param turnAccess their access
 * @param markedFor time until the mark of the waiting runs out
 * @param ownNumber number of the grant that the claim itself has, zero for none
 */
record LockRow(long ownedFor, long closedFor, boolean hasHolders, long sharedFor, Access sharedAccess, int places,
		long placeFor, long turnFor, Access turnAccess, long markedFor, long ownNumber) {

	/** Time until the row is open to an access, unless something changes before. */
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

	/** Whether all holders of places are dead. */
	boolean hasDeadHolders() {
		return this.hasHolders && this.sharedFor <= 0;
	}

	/** Whether those who hold the key do so with another number of permits. */
	boolean contradicts(Access access) {
		return this.sharedFor > 0 && access.contradicts(this.sharedAccess);
	}

	/**
	 * Whether those who hold the key have another access, and nobody waits for it to end
	 * but claims of the given one: those may have the next turn.
	 */
	boolean offersTurn(Access access) {
		boolean heldOtherwise = this.sharedFor > 0 ? !access.equals(this.sharedAccess)
				: this.ownedFor > 0 && !access.equals(Access.EXCLUSIVE);
		return heldOtherwise && (this.turnFor <= 0 || this.turnAccess.equals(access));
	}

}
