package io.leasehold.service.simulation;

import java.util.List;

import io.leasehold.LossCause;

/**
 * What happened how often in the schedules so far.
 */
final class Figures {

	int schedules;

	int acquired;

	int busy;

	int unavailable;

	int cancelled;

	int reentries;

	int passes;

	int pushes;

	int expired;

	int notOwner;

	int maxHolds;

	int failedRenewals;

	int pauses;

	int crashes;

	int cuts;

	int lateRequests;

	void lost(LossCause cause) {
		switch (cause) {
			case EXPIRED -> this.expired++;
			case NOT_OWNER -> this.notOwner++;
			default -> this.maxHolds++;
		}
	}

	/** Return how often each thing happened that should happen sometimes. */
	List<Integer> all() {
		return List.of(this.acquired, this.busy, this.unavailable, this.cancelled, this.reentries, this.passes,
				this.pushes, this.expired, this.maxHolds, this.failedRenewals, this.pauses, this.crashes, this.cuts,
				this.lateRequests);
	}

	@Override
	public String toString() {
		return ("%d schedules: %d acquired (%d passed on, %d pushed, %d re-entered), %d busy, %d unavailable, %d"
				+ " cancelled; lost: %d expired, %d not owner, %d at their maximum; %d failed renewals, %d pauses, %d"
				+ " crashes, %d cuts, %d late requests")
			.formatted(this.schedules, this.acquired, this.passes, this.pushes, this.reentries, this.busy,
					this.unavailable, this.cancelled, this.expired, this.notOwner, this.maxHolds, this.failedRenewals,
					this.pauses, this.crashes, this.cuts, this.lateRequests);
	}

}
