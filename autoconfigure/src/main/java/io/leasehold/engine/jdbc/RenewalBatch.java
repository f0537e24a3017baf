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
 * @param ids the rows of the renewals, in the same order
 * @param renewals the renewals, not empty
 */
record RenewalBatch(List<RowId> ids, List<Renewal> renewals) {

	int size() {
		return this.renewals.size();
	}

	/** Return the renewals with the given rows, which must include one of this batch. */
	RenewalBatch of(Set<RowId> rows) {
		List<Integer> indexes = IntStream.range(0, size())
			.boxed()
			.filter((i) -> rows.contains(this.ids.get(i)))
			.toList();
		return new RenewalBatch(indexes.stream().map(this.ids::get).toList(),
				indexes.stream().map(this.renewals::get).toList());
	}

	/** Return the first claim; all others are of the same kind. */
	Claim claim() {
		return this.renewals.get(0).claim();
	}

	Duration lease() {
		return this.renewals.get(0).lease();
	}

	Set<String> owners() {
		return this.renewals.stream().map((renewal) -> renewal.claim().owner().token()).collect(Collectors.toSet());
	}

	/** Number of places: a power of two, so that the server parses few statements. */
	int places() {
		return Integer.highestOneBit(Math.max(1, 2 * size() - 1));
	}

	/** Return ids for all places. The last id fills the remaining ones. */
	List<Object> rows() {
		List<Object> values = new ArrayList<>();
		for (int i = 0; i < places(); i++) {
			values.add(this.ids.get(Math.min(i, size() - 1)).bytes());
		}
		return values;
	}

	/** Return claim tokens and the numbers in their rows for all places. */
	List<Object> grants() {
		List<Object> values = new ArrayList<>();
		for (int i = 0; i < places(); i++) {
			Renewal renewal = this.renewals.get(Math.min(i, size() - 1));
			values.add(renewal.claim().owner().token());
			values.add(renewal.number() + (renewal.claim().lingers() ? Granted.RESERVED : 0));
		}
		return values;
	}

}
