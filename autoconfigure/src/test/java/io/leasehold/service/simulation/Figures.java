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

	int cancelledResults;

	int forced;

	int interrupts;

	int reentries;

	int passes;

	int pushes;

	/** Grants that were entered after a hold of their process had been closed. */
	int entries;

	int recalls;

	/** Revocations that reached the process of the grant. */
	int revocations;

	int stops;

	/** Locks of several keys that were acquired together. */
	int groups;

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
			case MAX_HOLD -> this.maxHolds++;
			default -> {
			}
		}
	}

	/** Return how often each thing happened that should happen sometimes. */
	List<Integer> all() {
		return List.of(this.acquired, this.busy, this.unavailable, this.cancelled, this.cancelledResults, this.forced,
				this.interrupts, this.reentries, this.passes, this.pushes, this.expired, this.maxHolds,
				this.failedRenewals, this.pauses, this.crashes, this.cuts, this.lateRequests);
	}

	/** Return how often each thing happened that only newer seeds contain. */
	List<Integer> newer() {
		return List.of(this.entries, this.recalls, this.groups, this.revocations, this.stops);
	}

	@Override
	public String toString() {
		return ("%d schedules: %d acquired (%d passed on, %d pushed, %d re-entered, %d entered, %d recalls, %d revocations, %d groups), %d busy, %d unavailable, %d"
				+ " cancelled, %d interrupted; %d results cancelled; lost: %d by force, %d expired, %d not owner, %d at their maximum; %d failed renewals, %d pauses, %d"
				+ " crashes, %d cuts, %d late requests, %d stops")
			.formatted(this.schedules, this.acquired, this.passes, this.pushes, this.reentries, this.entries,
					this.recalls, this.revocations, this.groups, this.busy, this.unavailable, this.cancelled,
					this.interrupts, this.cancelledResults, this.forced, this.expired, this.notOwner, this.maxHolds,
					this.failedRenewals, this.pauses, this.crashes, this.cuts, this.lateRequests, this.stops);
	}

}
