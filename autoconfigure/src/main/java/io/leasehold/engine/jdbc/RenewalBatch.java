package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Renewal;

/**
 * Grants that the same statements renew, all of the same kind, for the same lease.
 *
 * @param entries the renewals with their rows, not empty
 */
record RenewalBatch(List<Entry> entries) {

	int size() {
		return this.entries.size();
	}

	/** Return the renewals with the given rows, which must include one of this batch. */
	RenewalBatch of(Set<RowId> rows) {
		return new RenewalBatch(this.entries.stream().filter((entry) -> rows.contains(entry.id())).toList());
	}

	/** Return the first claim; all others are of the same kind. */
	Claim claim() {
		return this.entries.get(0).renewal().claim();
	}

	Duration lease() {
		return this.entries.get(0).renewal().lease();
	}

	List<Renewal> renewals() {
		return this.entries.stream().map(Entry::renewal).toList();
	}

	Set<String> owners() {
		return this.entries.stream().map(Entry::owner).collect(Collectors.toSet());
	}

	/** Number of places: a power of two, so that the server parses few statements. */
	int places() {
		return Integer.highestOneBit(Math.max(1, 2 * size() - 1));
	}

	/** Return ids for all places. */
	List<Object> rows() {
		return IntStream.range(0, places()).<Object>mapToObj((index) -> place(index).id().bytes()).toList();
	}

	/** Return claim tokens and the numbers in their rows for all places. */
	List<Object> grants() {
		List<Object> values = new ArrayList<>();
		for (int i = 0; i < places(); i++) {
			Entry entry = place(i);
			values.add(entry.owner());
			values.add(entry.renewal().number() + (claim().lingers() ? Granted.RESERVED : 0));
		}
		return values;
	}

	/** Return the renewal of a place. The last one fills the remaining places. */
	private Entry place(int index) {
		return this.entries.get(Math.min(index, size() - 1));
	}

	/** Renewal of a row. */
	record Entry(RowId id, Renewal renewal) {

		String owner() {
			return this.renewal.claim().owner().token();
		}

	}

}
