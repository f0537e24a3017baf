package io.leasehold.soak;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.test.contract.History.Interval;

/**
 * Exclusive holds of one key while its store was {@linkplain Exemption exempt}. Each part
 * of a split cluster may have granted the key, and the whole store again after their data
 * was merged, so there is no limit for the holds that overlap.
 */
final class ExemptHistory {

	private final List<Interval> holds = new ArrayList<>();

	void add(Interval hold) {
		if (!hold.shared() && hold.ended() - hold.acquired() > 0) {
			this.holds.add(hold);
		}
	}

	/** Return how many holds began during another one. */
	int overlaps() {
		return (int) this.holds.stream().filter((hold) -> present(hold).size() > 1).count();
	}

	/** Return the holds at the moment in which one began. */
	private List<Interval> present(Interval begun) {
		long moment = begun.acquired();
		return this.holds.stream()
			.filter((hold) -> moment - hold.acquired() >= 0 && hold.ended() - moment > 0)
			.toList();
	}

}
