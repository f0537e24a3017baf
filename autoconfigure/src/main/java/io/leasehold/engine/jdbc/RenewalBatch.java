package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.leasehold.engine.Access;
import io.leasehold.engine.Renewal;

/**
 * Grants that the same statements renew, all exclusive or none, for the same lease.
 *
 * @param ids the rows of the renewals, in the same order
 * @param renewals what to renew, not empty
 */
record RenewalBatch(List<RowId> ids, List<Renewal> renewals) {

	int size() {
		return this.renewals.size();
	}

	/** Those of the batch whose rows are among the given ones, at least one of them. */
	RenewalBatch of(Set<RowId> rows) {
		List<Integer> indexes = IntStream.range(0, size())
			.boxed()
			.filter((i) -> rows.contains(this.ids.get(i)))
			.toList();
		return new RenewalBatch(indexes.stream().map(this.ids::get).toList(),
				indexes.stream().map(this.renewals::get).toList());
	}

	/** An access of the same kind as all others. */
	Access access() {
		return this.renewals.get(0).claim().access();
	}

	Duration lease() {
		return this.renewals.get(0).lease();
	}

	Set<String> owners() {
		return this.renewals.stream().map((renewal) -> renewal.claim().owner().token()).collect(Collectors.toSet());
	}

	/** Places in a statement: few lengths make few statements for the server to parse. */
	int places() {
		return Integer.highestOneBit(Math.max(1, 2 * size() - 1));
	}

	/** Ids for all places; the last one fills those that are left. */
	List<Object> rows() {
		List<Object> values = new ArrayList<>();
		for (int i = 0; i < places(); i++) {
			values.add(this.ids.get(Math.min(i, size() - 1)).bytes());
		}
		return values;
	}

	/** Owners and numbers for all places. */
	List<Object> grants() {
		List<Object> values = new ArrayList<>();
		for (int i = 0; i < places(); i++) {
			Renewal renewal = this.renewals.get(Math.min(i, size() - 1));
			values.add(renewal.claim().owner().token());
			values.add(renewal.number());
		}
		return values;
	}

}
