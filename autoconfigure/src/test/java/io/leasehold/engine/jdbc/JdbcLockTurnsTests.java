package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Member;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Forced releases, turns of waiting claims and rows of holders with any access.
 */
abstract class JdbcLockTurnsTests extends JdbcLockFormsTests {

	@Test
	void forcedReleaseOpensAKeyWhoeverHeldIt() throws SQLException {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			String key = "key " + access.code();
			Claim held = claim(key, access, LEASE, Duration.ZERO, DELAY);
			long number = granted(held).number();
			assertThat(this.engine.forceRelease(held.key())).extracting(Holder::number).containsExactly(number);
			assertThat(this.engine.forceRelease(held.key())).isEmpty();
			assertThat(renew(held, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
			assertThat(this.engine.release(held)).isInstanceOf(ReleaseOutcome.NotOwner.class);
			granted(claim(key, access, LEASE, Duration.ZERO, DELAY));
			passBy(LEASE);
			assertThat(this.engine.forceRelease(held.key())).as("nobody holds it").isEmpty();
			granted(claim(key, TWO));
		}
		assertThat(this.engine.forceRelease(new LockKey("never seen"))).isEmpty();
	}

	@Test
	void allHoldersAreShownAndForcedOutInTheOrderOfTheirNumbers() {
		List<Long> numbers = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			numbers.add(granted(shared("a")).number());
		}
		LockKey key = new LockKey("a");
		assertThat(this.engine.inspect(key)).extracting(Holder::number).isEqualTo(numbers);
		assertThat(this.engine.forceRelease(key)).extracting(Holder::number).isEqualTo(numbers).isSorted();
		assertThat(this.engine.inspect(key)).isEmpty();
		granted(claim("a"));
	}

	@Test
	void forcedReleaseLeavesAMinHold() {
		Claim held = claim("a", Access.SHARED, LEASE, Duration.ofMinutes(1), Duration.ZERO);
		granted(held);
		assertThat(this.engine.forceRelease(held.key())).hasSize(1);
		busy(claim("a"));
	}

	@Test
	void writerThatWaitsKeepsNewReadersOutUntilItHadItsTurn() {
		JdbcLockEngine patient = patientEngine();
		Claim present = shared("a");
		granted(present);
		Claim writer = waiting(this.other, "a", Access.EXCLUSIVE);
		busy(patient, writer);
		granted(present);
		busy(shared("a"));
		release(present);
		busy(shared("a"));
		granted(patient, writer);
		assertThat(patient.release(writer)).isEqualTo(ReleaseOutcome.RELEASED);
		granted(shared("a"));
	}

	@Test
	void readerThatWaitsKeepsOtherWritersOutUntilItHadItsTurn() {
		JdbcLockEngine patient = patientEngine();
		Claim present = claim("a");
		granted(present);
		Claim reader = waiting(this.other, "a", Access.SHARED);
		busy(patient, reader);
		busy(patient, waiting(this.member, "a", Access.EXCLUSIVE));
		release(present);
		busy(claim("a"));
		busy(claim("a", TWO));
		granted(patient, reader);
	}

	@Test
	void claimThatDoesNotWaitTakesNoTurn() {
		Claim present = shared("a");
		granted(present);
		patientEngine().tryAcquire(claim("a"));
		granted(shared("a"));
	}

	@Test
	void turnOfAWaitingClaimThatIsGivenUpIsOverAtOnce() {
		JdbcLockEngine patient = patientEngine();
		granted(shared("a"));
		Claim writer = waiting(this.other, "a", Access.EXCLUSIVE);
		patient.tryAcquire(writer);
		busy(shared("a"));
		assertThat(patient.release(writer)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		granted(shared("a"));
	}

	@Test
	void turnOfAWaitingClaimThatDiedRunsOut() throws SQLException {
		granted(shared("a"));
		JdbcSettings settings = settings(Duration.ofSeconds(5));
		engine(settings).tryAcquire(waiting(this.other, "a", Access.EXCLUSIVE));
		busy(shared("a"));
		execute(OURS.formatted("turn_until = turn_until - " + Sql.micros(settings.longestCall()), this.namespace));
		granted(shared("a"));
	}

	@Test
	void writerGetsInAmongEndlessReadersThatOverlap() {
		Claim first = shared("hot");
		granted(first);
		try (Crowd readers = new Crowd()) {
			readers.enter(Access.SHARED, 4);
			await().until(() -> readers.taken.get() >= 4);
			release(first);
			Claim writer = waiting(this.other, "hot", Access.EXCLUSIVE);
			acquire(writer, PATIENCE);
			assertThat(this.engine.inspect(writer.key())).hasSize(1);
			int before = readers.taken.get();
			release(writer);
			await("readers, too").until(() -> readers.taken.get() > before);
		}
	}

	@Test
	void claimsOfEachAccessGetInAmongEndlessOthers() {
		try (Crowd others = new Crowd()) {
			for (Access access : List.of(Access.SHARED, TWO, Access.EXCLUSIVE)) {
				others.enter(access, 3);
			}
			await().until(() -> others.taken.get() > 0);
			for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED, TWO)) {
				Claim claim = waiting(this.other, "hot", access);
				acquire(claim, PATIENCE);
				release(claim);
			}
		}
	}

	private void acquire(Claim claim, Duration most) {
		long end = System.nanoTime() + most.toNanos();
		while (this.engine.tryAcquire(claim) instanceof AcquisitionOutcome.Busy busy) {
			assertThat(System.nanoTime() - end).as("%s", claim.access()).isNegative();
			LockSupport.parkNanos(busy.retryIn().toNanos());
		}
	}

	@Test
	void whoeverHoldsAHotKeyTogetherMayAndNumbersGrow() throws Exception {
		List<Access> accesses = List.of(Access.EXCLUSIVE, Access.SHARED, TWO);
		Map<Access, AtomicInteger> holders = accesses.stream()
			.collect(Collectors.toMap(Function.identity(), (access) -> new AtomicInteger()));
		AtomicLong last = new AtomicLong();
		AtomicInteger grants = new AtomicInteger();
		List<String> faults = Collections.synchronizedList(new ArrayList<>());
		long end = System.nanoTime() + Duration.ofSeconds(1).toNanos();
		inParallel(8, () -> {
			while (System.nanoTime() - end < 0 || grants.get() < ENOUGH) {
				Access access = accesses.get(ThreadLocalRandom.current().nextInt(3));
				Claim claim = claim("hot", access);
				long before = last.get();
				if (this.engine.tryAcquire(claim) instanceof AcquisitionOutcome.Granted granted) {
					if (holders.get(access).incrementAndGet() > access.limit() || accesses.stream()
						.anyMatch((other) -> !other.equals(access) && holders.get(other).get() > 0)) {
						faults.add("%s beside %s".formatted(access, holders));
					}
					if (granted.number() <= before) {
						faults.add(granted.number() + " came after " + before);
					}
					last.accumulateAndGet(granted.number(), Math::max);
					grants.incrementAndGet();
					holders.get(access).decrementAndGet();
					ReleaseOutcome released = this.engine.release(claim);
					if (!(released instanceof ReleaseOutcome.Released)) {
						faults.add("release of %s of %s: %s, row is %s at %d, failed before: %s".formatted(granted,
								access, released, row("hot"), databaseClock(), this.statements.failures()));
					}
				}
			}
			return null;
		});
		assertThat(faults).isEmpty();
	}

	@Test
	void holdersGoWithTheirRowAndNoRowGoesThatHasAny() throws SQLException {
		granted(shared("orphaned"));
		passBy(Duration.ofDays(8));
		Claim released = shared("released");
		granted(released);
		release(released);
		granted(shared("held"));
		Claim closed = claim("closed", Access.SHARED, LEASE, Duration.ofDays(1), Duration.ZERO);
		granted(closed);
		release(closed);
		granted(claim("delayed", Access.EXCLUSIVE, LEASE, Duration.ZERO, DELAY));
		assertThat(this.engine.removeIdle(100)).isEqualTo(1);
		assertThat(rows()).isEqualTo(4);
		assertThat(holders()).isEqualTo(2);
	}

	/** Renewals lengthen only what keeps writers out. */
	@Test
	void rowThatReadersHaveKeptForLongIsNotIdle() throws SQLException {
		granted(shared("read"));
		age(Duration.ofDays(8));
		assertThat(this.engine.removeIdle(100)).isZero();
		assertThat(holders()).isEqualTo(1);
	}

	@Test
	void placesThatAreFreeLeaveNoHolders() throws SQLException {
		granted(shared("a"));
		expireHolders();
		Claim next = shared("a");
		granted(next);
		assertThat(holders()).isEqualTo(2);
		release(next);
		assertThat(holders()).isZero();
	}

	@Test
	void deadHoldersAreGoneBeforeTheKeyHasAnotherAccess() throws SQLException {
		for (Access access : List.of(Access.EXCLUSIVE, TWO)) {
			granted(shared("a"));
			expireHolders();
			Claim next = claim("a", access);
			granted(next);
			assertThat(holders()).isEqualTo(access.equals(TWO) ? 1 : 0);
			release(next);
		}
	}

	@Test
	void missingTableOfHoldersIsNamed() throws SQLException {
		String table = "half_" + UUID.randomUUID().toString().substring(0, 8);
		String script = LockTableScript.read(platform(), table);
		execute(script.substring(0, script.indexOf(';')));
		JdbcLockEngine half = engine(settings(table, Duration.ofSeconds(5)));
		assertThatExceptionOfType(LockTableException.class).isThrownBy(half::start)
			.withMessageContaining("'%1$s' or '%1$s_holder' is missing".formatted(table))
			.matches((ex) -> ex.getProblem() == LockTableException.Problem.MISSING && !ex.isRetryable());
	}

	/** Processes that take the same key again and again, and hold it for a while. */
	private final class Crowd implements AutoCloseable {

		private final AtomicInteger taken = new AtomicInteger();

		private final AtomicBoolean over = new AtomicBoolean();

		private final ExecutorService threads = Executors.newCachedThreadPool();

		void enter(Access access, int processes) {
			for (int i = 0; i < processes; i++) {
				Member one = Member.of("crowd");
				this.threads.execute(() -> {
					while (!this.over.get()) {
						takeOnce(waiting(one, "hot", access));
					}
				});
			}
		}

		private void takeOnce(Claim claim) {
			while (!this.over.get()
					&& JdbcLockTurnsTests.this.engine.tryAcquire(claim) instanceof AcquisitionOutcome.Busy busy) {
				LockSupport.parkNanos(busy.retryIn().toNanos());
			}
			this.taken.incrementAndGet();
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(20_000_000, 40_000_000));
			JdbcLockTurnsTests.this.engine.release(claim);
		}

		@Override
		public void close() {
			this.over.set(true);
			this.threads.shutdown();
			await().atMost(PATIENCE).until(this.threads::isTerminated);
		}

	}

}
