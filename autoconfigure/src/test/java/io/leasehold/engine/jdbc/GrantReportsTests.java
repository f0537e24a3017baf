package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.leasehold.LockKey;
import io.leasehold.LockTerms;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.Member;
import io.leasehold.engine.RevocationListener;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GrantReports}.
 */
class GrantReportsTests {

	private final ManualClock clock = new ManualClock();

	private final JdbcSettings settings = new JdbcSettings("ns", JdbcSettings.DEFAULT_TABLE, Duration.ofSeconds(1),
			Duration.ofMillis(5), Duration.ofMillis(100), Duration.ofDays(7), true);

	private final GrantReports reports = new GrantReports(this.settings, this.clock);

	private final Member member = Member.of("shop");

	private final List<Claim> recalled = new ArrayList<>();

	@Test
	void recallReachesOnlyTheClaimThatItIsAbout() {
		listen();
		Claim one = claim("a", true);
		Claim same = claim("a", true);
		this.reports.expect(one);
		this.reports.expect(same);
		assertThat(this.reports.receive(GrantReports.recalled(GrantReports.mark(same)))).isTrue();
		assertThat(this.recalled).containsExactly(same);
		assertThat(this.reports.receive("recall 17")).isTrue();
		this.reports.forget(one);
		assertThat(this.reports.receive(GrantReports.recalled(GrantReports.mark(one)))).isTrue();
		assertThat(this.recalled).containsExactly(same);
	}

	@Test
	void claimWithoutLingeringIsNotKept() {
		this.reports.expect(claim("a", false));
		assertThat(this.reports.expected()).isZero();
	}

	@Test
	void payloadsThatAreNoReportsAreLeftToOthers() {
		listen();
		for (String payload : List.of("", "recall", "recall x", "recall 1234567890123456789", " recall 1", "recall 1 ",
				RowId.of("ns", new LockKey("a")).toString())) {
			assertThat(this.reports.receive(payload)).as(payload).isFalse();
		}
		assertThat(this.recalled).isEmpty();
	}

	/** A lost grant is never released, so nothing else would remove its claim. */
	@Test
	void claimsAreForgottenAfterTheirLease() {
		for (int i = 0; i < 3 * GrantReports.FEW; i++) {
			this.reports.expect(claim("a" + i, true));
		}
		assertThat(this.reports.expected()).isEqualTo(3 * GrantReports.FEW);
		this.clock.advance(Duration.ofMinutes(1));
		for (int i = 0; i < 2 * GrantReports.FEW; i++) {
			this.reports.expect(claim("b" + i, true));
		}
		assertThat(this.reports.expected()).isLessThanOrEqualTo(2 * GrantReports.FEW);
	}

	private void listen() {
		this.reports.reportTo(new RevocationListener() {

			@Override
			public void revoked(long number, Predicate<Claim> claim) {
				throw new AssertionError(number);
			}

			@Override
			public void recalled(Claim claim) {
				GrantReportsTests.this.recalled.add(claim);
			}

		});
	}

	private Claim claim(String key, boolean lingers) {
		return new Claim(new LockKey(key), this.member.newOwner(), new LockTerms(Duration.ofSeconds(10), Duration.ZERO),
				false, this.clock.nanoTime(), lingers);
	}

}
