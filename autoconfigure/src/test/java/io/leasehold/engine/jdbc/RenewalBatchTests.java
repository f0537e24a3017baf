package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.Renewal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RenewalBatch}.
 */
class RenewalBatchTests {

	private final Member member = Member.of("shop");

	/** Each power of two is one text of a statement. */
	@ParameterizedTest
	@CsvSource({ "1, 1", "2, 2", "3, 4", "4, 4", "5, 8", "255, 256", "256, 256" })
	void statementHasAPowerOfTwoPlaces(int size, int places) {
		RenewalBatch batch = batch(size);
		assertThat(batch.places()).isEqualTo(places);
		assertThat(batch.rows()).hasSize(places);
		assertThat(batch.grants()).hasSize(2 * places);
	}

	@Test
	void lastRenewalFillsThePlacesThatAreLeft() {
		RenewalBatch batch = batch(3);
		String last = batch.renewals().get(2).claim().owner().token();
		List<byte[]> ids = batch.entries().stream().map((entry) -> entry.id().bytes()).toList();
		assertThat(batch.rows()).containsExactly(ids.get(0), ids.get(1), ids.get(2), ids.get(2));
		assertThat(batch.grants()).hasSize(8).endsWith(last, 2L, last, 2L);
	}

	private RenewalBatch batch(int size) {
		List<RenewalBatch.Entry> entries = new ArrayList<>();
		for (int i = 0; i < size; i++) {
			LockKey key = new LockKey("k" + i);
			Claim claim = new Claim(key, this.member.newOwner(), Duration.ofSeconds(30), Duration.ZERO, false, 0);
			entries.add(new RenewalBatch.Entry(RowId.of("ns", key), new Renewal(claim, i, claim.lease())));
		}
		return new RenewalBatch(entries);
	}

}
