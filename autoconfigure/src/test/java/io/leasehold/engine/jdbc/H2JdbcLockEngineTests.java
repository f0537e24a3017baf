package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Subscription;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The engine on H2 in memory.
 */
@Tag("full")
class H2JdbcLockEngineTests extends JdbcWaitingRowsTests {

	private final String url = "jdbc:h2:mem:" + UUID.randomUUID();

	@Override
	String url() {
		return this.url;
	}

	@Override
	String platform() {
		return "h2";
	}

	@Test
	void claimPollsBecauseNothingNotifiesIt() {
		try (JdbcLockEngine pooled = new JdbcLockEngine(connect(url(), 2, LEASE), settings(LEASE),
				MonotonicClock.SYSTEM)) {
			pooled.start();
			assertThat(pooled.subscribe(claim("a"), (signal) -> {
			})).isSameAs(Subscription.POLLING);
		}
	}

	@Test
	void startedEngineRemovesIdleRowsWhileItIsUsed() throws SQLException {
		Claim idle = claim("idle");
		granted(idle);
		this.engine.release(idle);
		age(Duration.ofDays(8));
		this.engine.start();
		Claim used = claim("used");
		await().atMost(Duration.ofSeconds(30)).until(() -> {
			granted(used);
			return rows() == 1;
		});
	}

	/** H2 commits a query that changes rows even if it fails. */
	@Test
	void releaseThatIsRepeatedAfterAFailureReportsNoLoss() {
		Claim claim = claim("a");
		granted(claim);
		this.statements.failAfter("UPDATE leasehold_lock SET owner = CASE",
				new SQLException("Concurrent update", "90131", 90131));
		assertThat(this.engine.release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.engine.inspect(claim.key())).isEmpty();
	}

}
