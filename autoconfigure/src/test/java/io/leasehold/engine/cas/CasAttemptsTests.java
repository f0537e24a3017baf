package io.leasehold.engine.cas;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.support.OpenState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Attempts} and {@link CasSettings}.
 */
class CasAttemptsTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final String ENTRY = "test:order:42";

	private final ManualClock clock = new ManualClock();

	private final MemoryStore store = new MemoryStore(this.clock);

	private final Connection connection = new Connection();

	private Attempts attempts = attempts(Duration.ofSeconds(30), Duration.ofDays(1));

	@ParameterizedTest
	@CsvSource({ "1000000,2", "1000001,3", "999999,2", "1,2" })
	void entryLivesForAPlaceAndASecondAtLeast(long lease, long seconds) {
		write(place("one", lease));
		assertThat(this.store.timeToLive(ENTRY)).isEqualTo(Duration.ofSeconds(seconds));
	}

	/** The writer has seen the other place for a second of its ten. */
	@Test
	void entryLivesForTheRestOfTheLongestPlace() {
		Place ten = place("ten", 10_000_000);
		write(ten);
		this.clock.advance(Duration.ofSeconds(1));
		this.attempts.change("test", KEY, CasAttemptsTests::fail, (sight) -> {
			LockRecord record = sight.record();
			List<Place> places = List.of(record.places().get(0),
					new Place("one", Access.SHARED, 1, 1, 1_000_000, 0, 0, record.writes() + 1));
			return Step.write(record.next(1, null, places), (sent) -> "written");
		});
		assertThat(this.store.timeToLive(ENTRY)).as("9.1 seconds").isEqualTo(Duration.ofSeconds(11));
	}

	@ParameterizedTest
	@CsvSource({ "86400000,86401", "1500,2", "1,1" })
	void entryWithoutPlacesLivesForTheRetention(long retentionMillis, long seconds) {
		this.attempts = attempts(Duration.ofSeconds(30), Duration.ofMillis(retentionMillis));
		this.attempts.change("test", KEY, CasAttemptsTests::fail,
				(sight) -> Step.write(sight.record().next(1, null, List.of()), (sent) -> "written"));
		assertThat(this.store.timeToLive(ENTRY)).isEqualTo(Duration.ofSeconds(seconds));
	}

	@Test
	void conflictIsDecidedAgain() {
		this.connection.conflicts = 2;
		assertThat(write(place("one", 1_000_000))).isEqualTo("written");
		assertThat(this.connection.writes).isEqualTo(3);
	}

	@Test
	void conflictsEndWithTheCallTimeout() {
		this.attempts = attempts(Duration.ofMillis(1), Duration.ofDays(1));
		this.connection.conflicts = Integer.MAX_VALUE;
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> write(place("one", 1)))
			.withMessage("Could not test lock 'order:42' on engine 'test': other processes changed its entry for 1 ms")
			.matches(LockEngineException::isRetryable);
	}

	@Test
	void optionalWriteIsSentOnceAndItsFailureIsIgnored() {
		this.connection.conflicts = 1;
		assertThat(offer()).isEqualTo("result");
		assertThat(this.connection.writes).isOne();
		this.connection.failure = new IOException("broken");
		this.connection.failsToWrite = true;
		assertThat(offer()).isEqualTo("result");
		assertThat(this.store.read(ENTRY)).isNull();
		this.connection.failsToWrite = false;
		this.connection.failure = null;
		assertThat(offer()).isEqualTo("result");
		assertThat(this.store.read(ENTRY)).isNotNull();
	}

	private String offer() {
		return this.attempts.change("test", KEY, CasAttemptsTests::fail,
				(sight) -> Step.of("result", sight.record().next(1, null, List.of())));
	}

	@Test
	void resultWithoutARecordWritesNothing() {
		assertThat(this.attempts.<String>change("test", KEY, CasAttemptsTests::fail, (sight) -> Step.of("result")))
			.isEqualTo("result");
		assertThat(this.connection.writes).isZero();
	}

	@Test
	void onlyAFailedWriteMayArriveLater() {
		this.connection.failure = new IOException("broken");
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.attempts.read("test", KEY))
			.withMessage("Could not test lock 'order:42' on engine 'test': broken")
			.withCause(this.connection.failure);
		this.connection.failsToWrite = true;
		int[] withoutResponse = new int[1];
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> this.attempts.change("test", KEY, () -> withoutResponse[0]++,
					(sight) -> Step.write(sight.record().next(1, null, List.of()), (sent) -> "written")));
		assertThat(withoutResponse[0]).isOne();
	}

	@Test
	void failureNamesItsReason() {
		this.connection.failure = new ExecutionException(new IOException("of a future"));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.attempts.read("test", KEY))
			.withMessage("Could not test lock 'order:42' on engine 'test': of a future")
			.matches(LockEngineException::isRetryable);
		this.connection.failure = new IOException();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.attempts.read("test", KEY))
			.withMessageEndingWith(": java.io.IOException");
		this.connection.failure = new IllegalArgumentException("too long");
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.attempts.read("test", KEY))
			.matches((ex) -> !ex.isRetryable());
		LockEngineException known = new LockEngineException(KEY, "known", null);
		this.connection.failure = known;
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.attempts.read("test", KEY))
			.isSameAs(known);
	}

	@Test
	void interruptOfARequestIsKept() {
		this.connection.failure = new InterruptedException("interrupted");
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.attempts.read("test", KEY));
		assertThat(Thread.interrupted()).isTrue();
		this.connection.failure = new IOException("broken");
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.attempts.read("test", KEY));
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void settingsHaveLimits() {
		Duration least = Duration.ofMillis(1);
		Duration most = Duration.ofDays(3650);
		assertThat(new CasSettings("test", least, least, least, least).minLease()).isEqualTo(Duration.ofMillis(4));
		CasSettings longest = new CasSettings("test", most, most, most, most);
		assertThat(longest.markLife()).isEqualTo(most.multipliedBy(4));
		for (Duration wrong : List.of(least.minusNanos(1), most.plusNanos(1))) {
			assertThatIllegalArgumentException().isThrownBy(() -> new CasSettings("test", wrong, least, least, least))
				.withMessage("call-timeout must be at least 1ms and at most 3650d, but is " + wrong);
			assertThatIllegalArgumentException().isThrownBy(() -> new CasSettings("test", least, wrong, most, least))
				.withMessageStartingWith("poll-min must be");
			assertThatIllegalArgumentException().isThrownBy(() -> new CasSettings("test", least, least, wrong, least))
				.withMessageStartingWith("poll-max must be");
			assertThatIllegalArgumentException().isThrownBy(() -> new CasSettings("test", least, least, least, wrong))
				.withMessageStartingWith("leasehold.fencing.retention must be");
		}
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new CasSettings("test", least, least.plusNanos(1), least, least))
			.withMessage("poll-max must not be shorter than poll-min");
		assertThatIllegalArgumentException().isThrownBy(() -> new CasSettings(" ", least, least, least, least))
			.withMessage("leasehold.namespace must not be blank");
	}

	private String write(Place place) {
		return this.attempts.change("test", KEY, CasAttemptsTests::fail, (sight) -> {
			LockRecord record = sight.record();
			Place written = new Place(place.owner(), place.access(), place.number(), place.since(), place.lease(),
					place.delay(), place.closed(), record.writes() + 1);
			return Step.write(record.next(1, null, List.of(written)), (sent) -> "written");
		});
	}

	private static Place place(String owner, long lease) {
		return CasRecords.place(owner, Access.SHARED, lease, 0, 0, 0);
	}

	private static void fail() {
		throw new AssertionError("A write had no response");
	}

	private Attempts attempts(Duration callTimeout, Duration retention) {
		CasSettings settings = new CasSettings("test", callTimeout, Duration.ofMillis(20), Duration.ofMillis(500),
				retention);
		return new Attempts(this.connection, settings, this.clock, new StoreKeys(settings.namespace()),
				new Sights(this.clock), new OpenState("test"), "test");
	}

	/** A connection that fails, or finds conflicts. */
	private final class Connection extends MemoryStore.Connection {

		private int conflicts;

		private int writes;

		private @Nullable Exception failure;

		private boolean failsToWrite;

		Connection() {
			super(CasAttemptsTests.this.store);
		}

		@Override
		@Nullable Entry reading(String key, MemoryStore.Request<@Nullable Entry> request) throws Exception {
			if (this.failure != null && !this.failsToWrite) {
				throw this.failure;
			}
			return request.send();
		}

		@Override
		boolean writing(String key, MemoryStore.Request<Boolean> request) throws Exception {
			this.writes++;
			if (this.failure != null) {
				throw this.failure;
			}
			return this.conflicts-- <= 0 && request.send();
		}

	}

}
