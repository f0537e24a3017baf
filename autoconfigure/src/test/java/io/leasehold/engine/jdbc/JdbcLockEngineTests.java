package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Exclusive locks on every database.
 */
abstract class JdbcLockEngineTests extends JdbcLockEngineFixture {

	@Test
	void uncontendedLockCostsOneStatementToAcquireAndOneToRelease() {
		Claim first = claim("a");
		granted(first);
		release(first);
		this.statements.clear();
		Claim claim = claim("a");
		granted(claim);
		assertThat(this.statements.executed()).hasSize(1);
		release(claim);
		assertThat(this.statements.executed()).hasSize(2);
	}

	@Test
	void newKeyCostsThreeStatements() {
		granted(claim("a"));
		assertThat(this.statements.executed()).hasSize(3);
	}

	@Test
	void renewalOfManyIsOneStatement() {
		List<Renewal> renewals = hold(100);
		this.statements.clear();
		assertThat(this.engine.renew(renewals)).hasSize(100).allMatch(RenewalOutcome.Renewed.class::isInstance);
		assertThat(this.statements.executed()).hasSize(1);
	}

	@Test
	void busyKeyIsLeftAsItIs() throws SQLException {
		granted(claim("a"));
		List<Object> before = row("a");
		busy(claim("a"));
		assertThat(row("a")).isEqualTo(before);
	}

	@Test
	void claimFindsItsOwnGrantAgain() {
		Claim claim = claim("a");
		AcquisitionOutcome.Granted granted = granted(claim);
		AcquisitionOutcome.Granted again = granted(claim);
		assertThat(again.number()).isEqualTo(granted.number());
		assertThat(again.validUntil() - granted.validUntil()).isPositive();
	}

	@Test
	void askingAgainNeverShortensTheLease() throws SQLException {
		Claim claim = claim("a");
		granted(claim);
		granted(new Claim(claim.key(), claim.owner(), SHORT, Duration.ZERO, false, claim.since()));
		assertThat(remaining("a")).isGreaterThan(LEASE.minusSeconds(10));
	}

	@Test
	void renewalNeverShortensTheLease() throws SQLException {
		Claim claim = claim("a");
		long number = granted(claim).number();
		assertThat(renew(claim, number, SHORT)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(remaining("a")).isGreaterThan(LEASE.minusSeconds(10));
	}

	@Test
	void renewalExtendsTheLease() throws SQLException {
		Claim claim = claim("a", Duration.ofSeconds(15), Duration.ZERO);
		long number = granted(claim).number();
		assertThat(renew(claim, number, LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(remaining("a")).isGreaterThan(LEASE.minusSeconds(10));
	}

	@Test
	void formerOwnerCanNeitherRenewNorReleaseTheLeaseOfTheNextOwner() {
		Claim former = claim("a", SHORT, Duration.ZERO);
		long number = granted(former).number();
		Claim next = claim("a");
		long nextNumber = grantedAtLast(next).number();
		assertThat(nextNumber).isGreaterThan(number);
		assertThat(renew(former, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.engine.release(former)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(renew(next, nextNumber, LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.engine.release(next)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void expiredLeaseIsNeitherRenewedNorReleased() {
		Claim claim = claim("a", SHORT, Duration.ZERO);
		long number = granted(claim).number();
		await().until(() -> remaining("a").isNegative());
		assertThat(renew(claim, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.engine.release(claim)).as("release of %s", claim.access())
			.isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(this.engine.inspect(claim.key())).isEmpty();
	}

	@Test
	void claimWhoseLeaseIsOverTakesTheKeyAnew() throws SQLException {
		Claim claim = claim("a", SHORT, Duration.ZERO);
		long number = granted(claim).number();
		await().until(() -> remaining("a").isNegative());
		Claim again = new Claim(claim.key(), claim.owner(), LEASE, Duration.ZERO, false, claim.since());
		assertThat(granted(again).number()).isGreaterThan(number);
		assertThat(remaining("a")).isPositive();
		busy(claim("a"));
	}

	@Test
	void renewalTellsTheLostFromTheKept() {
		List<Renewal> renewals = new ArrayList<>(hold(300));
		Renewal last = renewals.get(299);
		renewals.set(299, new Renewal(last.claim(), last.number(), LEASE.plusSeconds(1)));
		release(renewals.get(150).claim());
		List<RenewalOutcome> outcomes = this.engine.renew(renewals);
		assertThat(outcomes).hasSize(300);
		assertThat(outcomes.get(150)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(outcomes.stream().filter(RenewalOutcome.Renewed.class::isInstance)).hasSize(299);
	}

	@Test
	void renewalWithAnotherNumberIsNotTheOwners() {
		Claim claim = claim("a");
		long number = granted(claim).number();
		assertThat(renew(claim, number - 1, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
	}

	@Test
	void numberIsAtLeastTheDatabasesClock() throws SQLException {
		long before = databaseClock();
		long number = granted(claim("a")).number();
		assertThat(number).isBetween(before, databaseClock()).isLessThan(1L << 57);
	}

	@Test
	void numberGrowsEvenIfTheDatabasesClockWasSetBack() throws SQLException {
		Claim claim = claim("a");
		granted(claim);
		release(claim);
		long future = databaseClock() + TimeUnit.DAYS.toMicros(1);
		execute("UPDATE leasehold_lock SET grant_number = %d WHERE namespace = '%s'".formatted(future, this.namespace));
		assertThat(granted(claim("a")).number()).isEqualTo(future + 1);
	}

	@Test
	void newKeysThatManyRaceForHaveOneOwnerEach() throws Exception {
		Map<String, AtomicInteger> grants = new ConcurrentHashMap<>();
		CyclicBarrier start = new CyclicBarrier(8);
		inParallel(8, () -> {
			start.await();
			for (int i = 0; i < 400; i++) {
				String key = "new:" + i;
				if (this.engine.tryAcquire(claim(key)) instanceof AcquisitionOutcome.Granted) {
					grants.computeIfAbsent(key, (absent) -> new AtomicInteger()).incrementAndGet();
				}
			}
			return null;
		});
		assertThat(grants).hasSize(400);
		assertThat(grants.values()).allMatch((count) -> count.get() == 1);
	}

	@Test
	void hotKeyHasOneOwnerAtATimeAndGrowingNumbers() throws Exception {
		AtomicInteger owners = new AtomicInteger();
		AtomicLong last = new AtomicLong();
		AtomicInteger grants = new AtomicInteger();
		List<String> faults = Collections.synchronizedList(new ArrayList<>());
		long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
		inParallel(8, () -> {
			while (System.nanoTime() - end < 0 || grants.get() < ENOUGH) {
				Claim claim = claim("hot");
				if (this.engine.tryAcquire(claim) instanceof AcquisitionOutcome.Granted granted) {
					if (owners.incrementAndGet() != 1) {
						faults.add("two owners");
					}
					long before = last.getAndSet(granted.number());
					if (before >= granted.number()) {
						faults.add(granted.number() + " came after " + before);
					}
					grants.incrementAndGet();
					owners.decrementAndGet();
					release(claim);
				}
			}
			return null;
		});
		assertThat(faults).isEmpty();
	}

	/** Keys that the collations of databases take for one. */
	@Test
	@Fault(67)
	void keysThatCollationsTakeForOneAreDifferentLocks() {
		List<String> keys = List.of("order-a", "ORDER-A", "order-a ", " order-a", "order-\u00e9", "order-e",
				"order-e\u0301", "stra\u00dfe", "strasse", "\ud83c\udf63", "\ud83c\udf7a", "1", "01", "\u0130", "i",
				"I");
		keys.forEach((key) -> granted(claim(key)));
		keys.forEach((key) -> busy(claim(key)));
	}

	/** Keys that are long, alike up to the end, or code of some kind. */
	@Test
	@Fault({ 68, 69, 71 })
	void hostileKeysAreJustKeys() throws SQLException {
		String nines = "9".repeat(LockKey.MAX_BYTES - 1);
		String fish = "\ud83c\udf63".repeat(LockKey.MAX_BYTES / 4);
		List<String> keys = List.of(nines + "1", nines + "2", "\u0000", "a\u0000", "a\u0000b", "a", "a\r\nb", "{a}",
				"'; DROP TABLE leasehold_lock; --", "\"", "\\", "\\'", "%", "%00", "_", "*", "a:b", "?", "${a}", "/..",
				"\u0000".repeat(LockKey.MAX_BYTES), fish);
		keys.forEach((key) -> granted(claim(key)));
		keys.forEach((key) -> busy(claim(key)));
		Set<String> readable = new HashSet<>();
		try (Connection connection = connection();
				Statement statement = connection.createStatement();
				ResultSet rows = statement
					.executeQuery("SELECT lock_key FROM leasehold_lock WHERE namespace = '" + this.namespace + "'")) {
			while (rows.next()) {
				readable.add(rows.getString(1));
			}
		}
		assertThat(readable).hasSize(keys.size())
			.contains("a%00b", "a%0D%0Ab", "%F0%9F%8D%A3".repeat(LockKey.MAX_BYTES / 4));
	}

	@Test
	void namespacesAreApart() {
		granted(claim("a"));
		assertThat(stranger().tryAcquire(claim("a"))).isInstanceOf(AcquisitionOutcome.Granted.class);
	}

	@Test
	void minHoldKeepsAReleasedKeyClosed() {
		Claim claim = claim("a", LEASE, Duration.ofSeconds(20));
		granted(claim);
		release(claim);
		busy(claim("a"));
		assertThat(this.engine.inspect(claim.key())).isEmpty();
	}

	@Test
	void minHoldKeepsAnOrphanedKeyClosedToItsEnd() {
		Duration minHold = Duration.ofMillis(800);
		long start = System.nanoTime();
		long number = granted(claim("a", Duration.ofMillis(10), minHold)).number();
		long nextNumber = grantedAtLast(claim("a")).number();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(minHold);
		assertThat(nextNumber).isGreaterThan(number);
	}

	@Test
	void minHoldDoesNotOutliveItsGrant() {
		Claim claim = claim("a", LEASE, Duration.ofMillis(50));
		granted(claim);
		release(claim);
		Claim next = claim("a");
		grantedAtLast(next);
		release(next);
		granted(claim("a"));
	}

	@Test
	void releaseOfWhatIsNotOwnedIsReported() {
		assertThat(this.engine.release(claim("a"))).isInstanceOf(ReleaseOutcome.NotOwner.class);
		granted(claim("a"));
		assertThat(this.engine.release(claim("a"))).isInstanceOf(ReleaseOutcome.NotOwner.class);
		busy(claim("a"));
	}

	final List<Renewal> hold(int count) {
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Claim claim = claim("held " + i);
			renewals.add(new Renewal(claim, granted(claim).number(), LEASE));
		}
		return renewals;
	}

}
