package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.RenewalResult;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the engine does when more calls wait for rows than it has connections.
 */
abstract class CrowdedJdbcLockEngineTests extends JdbcLockFaultsTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final String LOCK_ROWS = "UPDATE leasehold_lock SET version = version + 1 "
			+ "WHERE namespace = '%s' AND lock_key LIKE '%s'";

	/** Calls that wait for locked rows do not take the connections of others. */
	@Test
	@Fault(106)
	void acquisitionsThatWaitForLockedRowsDelayNeitherRenewalsNorReleases() throws Exception {
		Duration call = Duration.ofMillis(2500);
		Duration lease = call.multipliedBy(3);
		List<String> keys = IntStream.range(0, 24).mapToObj((i) -> "crowd " + i).toList();
		use(keys.stream().map(this::claim).toArray(Claim[]::new));
		AtomicBoolean over = new AtomicBoolean();
		JdbcLockEngine crowded = apart(4, call);
		try (TestService service = new TestService(crowded, lease); Operator operator = new Operator()) {
			HeldLock held = service.locks().acquire("held");
			HeldLock released = service.locks().acquire("released");
			operator.run(LOCK_ROWS.formatted(this.namespace, "crowd %"));
			List<CompletableFuture<Object>> crowd = keys.stream()
				.map((key) -> later(() -> askUntil(over, crowded, key)))
				.toList();
			await().until(() -> number(waitingSessions()) >= 4);
			released.close();
			assertThat(this.engine.inspect(new LockKey("released"))).isEmpty();
			long renewed = renewals(service);
			await().atMost(PATIENCE).until(() -> renewals(service) - renewed >= 6 || isLost(service));
			assertThat(isLost(service)).isFalse();
			assertThat(held.isValid()).isTrue();
			held.close();
			over.set(true);
			operator.commit();
			for (CompletableFuture<Object> one : crowd) {
				one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			}
		}
	}

	private @Nullable Object askUntil(AtomicBoolean over, JdbcLockEngine engine, String key) {
		while (!over.get()) {
			try {
				engine.tryAcquire(claim(key));
			}
			catch (LockEngineException ex) {
				assertThat(ex.isRetryable()).isTrue();
			}
		}
		return null;
	}

	private static long renewals(TestService service) {
		return service.events(LockEvent.LeaseRenewed.class)
			.stream()
			.filter((event) -> event.outcome() == RenewalResult.RENEWED)
			.count();
	}

	private static boolean isLost(TestService service) {
		return !service.events(LockEvent.HoldLost.class).isEmpty();
	}

	/** Only releases of claims with a late request share one connection. */
	@Test
	void releaseThatWaitsForALockedRowDelaysNoOther() throws Exception {
		Claim locked = claim("locked");
		Claim available = claim("available");
		granted(locked);
		granted(available);
		try (JdbcLockEngine apart = apart(1, Duration.ofSeconds(40)); Operator operator = new Operator()) {
			apart.start();
			operator.run(LOCK_ROWS.formatted(this.namespace, "locked"));
			CompletableFuture<ReleaseOutcome> waiting = later(() -> apart.release(locked));
			await().until(() -> number(waitingSessions()) == 1);
			assertThat(apart.release(available)).isInstanceOf(ReleaseOutcome.Released.class);
			operator.commit();
			assertThat(waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(ReleaseOutcome.Released.class);
		}
	}

	/** Locks with one lease do not wait for the rows of those with another. */
	@Test
	@Fault(107)
	void locksWithDifferentLeasesAreRenewedConcurrently() throws Exception {
		List<String> keys = Stream.of("a", "b")
			.sorted((one, other) -> RowId.of(this.namespace, new LockKey(one))
				.compareTo(RowId.of(this.namespace, new LockKey(other))))
			.toList();
		Claim locked = claim(keys.get(0));
		Claim healthy = claim(keys.get(1));
		List<Renewal> renewals = List.of(new Renewal(locked, granted(locked).number(), LEASE),
				new Renewal(healthy, granted(healthy).number(), LEASE.multipliedBy(2)));
		try (JdbcLockEngine apart = apart(1, Duration.ofSeconds(40)); Operator operator = new Operator()) {
			apart.start();
			operator.run(LOCK_ROWS.formatted(this.namespace, locked.key().value()));
			CompletableFuture<List<RenewalOutcome>> outcomes = later(() -> apart.renew(renewals));
			await().until(() -> remaining(healthy.key().value()).compareTo(LEASE) > 0 || outcomes.isDone());
			assertThat(outcomes).isNotDone();
			operator.commit();
			assertThat(outcomes.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(2)
				.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		}
	}

	/** A second release does not fail only because a first one waits. */
	@Test
	void releasesWaitForLockedRowsConcurrently() throws Exception {
		List<Claim> claims = List.of(claim("one"), claim("other"));
		claims.forEach(this::granted);
		try (JdbcLockEngine apart = apart(2, Duration.ofSeconds(40)); Operator operator = new Operator()) {
			apart.start();
			operator.run(LOCK_ROWS.formatted(this.namespace, "o%"));
			List<CompletableFuture<ReleaseOutcome>> releases = claims.stream()
				.map((claim) -> later(() -> apart.release(claim)))
				.toList();
			await()
				.until(() -> number(waitingSessions()) == 2 || releases.stream().anyMatch(CompletableFuture::isDone));
			assertThat(releases).noneMatch(CompletableFuture::isDone);
			operator.commit();
			for (CompletableFuture<ReleaseOutcome> release : releases) {
				assertThat(release.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
					.isInstanceOf(ReleaseOutcome.Released.class);
			}
		}
	}

	/** The search for unlocked rows would make a single renewal twice as long. */
	@Test
	void singleRenewalOfALockedRowSearchesForNoOther() throws Exception {
		Claim claim = claim("a");
		long number = granted(claim).number();
		JdbcLockEngine brief = engine(settings(Duration.ofSeconds(1)));
		try (Operator operator = new Operator()) {
			operator.run(LOCK_ROWS.formatted(this.namespace, "a"));
			this.statements.clear();
			assertThat(renew(brief, claim, number)).isInstanceOf(RenewalOutcome.Unknown.class);
			assertThat(this.statements.executed()).noneMatch((sql) -> sql.contains("SKIP LOCKED"));
		}
	}

	/**
	 * A call that got its connection late waits for a row only as long as it may: the
	 * database ends its statement, which otherwise went on without it.
	 */
	@Test
	@Fault(105)
	void rowIsWaitedForNoLongerThanTheCallLasts() throws Exception {
		Duration call = Duration.ofSeconds(12);
		use(claim("one"), claim("other"));
		try (JdbcLockEngine apart = apart(1, call); Operator first = new Operator(); Operator second = new Operator()) {
			apart.start();
			first.run(LOCK_ROWS.formatted(this.namespace, "one"));
			second.run(LOCK_ROWS.formatted(this.namespace, "other"));
			CompletableFuture<AcquisitionOutcome> one = later(() -> apart.tryAcquire(claim("one")));
			await().until(() -> number(waitingSessions()) == 1);
			CompletableFuture<AcquisitionOutcome> other = later(() -> apart.tryAcquire(claim("other")));
			await().pollDelay(call.dividedBy(3)).until(() -> !other.isDone());
			first.commit();
			assertThat(one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(AcquisitionOutcome.Granted.class);
			assertThatExceptionOfType(CompletionException.class).isThrownBy(other::join)
				.havingCause()
				.isInstanceOf(LockEngineException.class)
				.havingCause()
				.isInstanceOfSatisfying(SQLException.class,
						(ex) -> assertThat(Failures.isUndone(ex)).as(ex.toString()).isTrue());
		}
	}

	/**
	 * A place that was taken while its row was waited for is not given again. What a
	 * waiting update counts may be older than its lock.
	 */
	@Test
	void placeThatIsTakenWhileTheRowIsWaitedForIsNotGivenAgain() throws Exception {
		Access one = Access.permits(1);
		String minute = Long.toString(Sql.micros(Duration.ofMinutes(1)));
		long now = databaseClock();
		for (String times : List.of("%1$d + %2$s, 0, 0", "%1$d - 1, %2$s, 0", "%1$d - 1, 0, %1$d + %2$s")) {
			Claim used = claim("place " + times.replaceAll("\\W", ""), one);
			use(used);
			try (JdbcLockEngine apart = apart(1, Duration.ofSeconds(40)); Operator operator = new Operator()) {
				operator.run(
						"UPDATE leasehold_lock SET shared_until = %d + %s, shared_access = '%s' WHERE namespace = '%s' AND lock_key = '%s'"
							.formatted(now, minute, one.code(), this.namespace, used.key().value()));
				CompletableFuture<AcquisitionOutcome> attempt = later(
						() -> apart.tryAcquire(claim(used.key().value(), one)));
				await().until(() -> number(waitingSessions()) == 1);
				operator
					.run(("INSERT INTO leasehold_lock_holder (owner, lock_id, grant_number, granted_at, expires_at, "
							+ "lock_delay, closed_until) SELECT 'somebody', id, 1, 1, %s FROM leasehold_lock "
							+ "WHERE namespace = '%s' AND lock_key = '%s'")
						.formatted(times.formatted(now, minute), this.namespace, used.key().value()));
				operator.commit();
				assertThat(attempt.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(times)
					.isInstanceOf(AcquisitionOutcome.Busy.class);
			}
		}
	}

	/** Interruption is no failure of the database, whose policy might run the body. */
	@Test
	@Fault(109)
	void callerThatIsInterruptedWhileItWaitsForAConnectionIsInterrupted() throws Exception {
		use(claim("one"));
		AtomicBoolean flagged = new AtomicBoolean();
		try (TestService service = new TestService(apart(1, Duration.ofSeconds(10)), LEASE);
				Operator operator = new Operator()) {
			operator.run(LOCK_ROWS.formatted(this.namespace, "one"));
			CompletableFuture<HeldLock> one = later(() -> service.locks().acquire("one"));
			await().until(() -> number(waitingSessions()) == 1);
			LockOptions once = service.locks().defaults().toBuilder().waitTime(Duration.ZERO).build();
			Thread caller = new Thread(() -> {
				assertThatExceptionOfType(LockInterruptedException.class)
					.isThrownBy(() -> service.locks().acquire("other", once));
				flagged.set(Thread.currentThread().isInterrupted());
			});
			caller.start();
			await().until(() -> caller.getState() == Thread.State.TIMED_WAITING);
			caller.interrupt();
			caller.join(PATIENCE.toMillis());
			assertThat(flagged).isTrue();
			operator.commit();
			one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
		}
	}

	private JdbcLockEngine apart(int size, Duration call) {
		return new JdbcLockEngine(connect(url(), size, call), settings(call), MonotonicClock.SYSTEM);
	}

}
