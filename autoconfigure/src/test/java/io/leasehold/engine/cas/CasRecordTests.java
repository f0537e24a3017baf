package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.leasehold.LockKey;
import io.leasehold.engine.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static io.leasehold.engine.cas.CasRecords.EXCLUSIVE;
import static io.leasehold.engine.cas.CasRecords.SHARED;
import static io.leasehold.engine.cas.CasRecords.fresh;
import static io.leasehold.engine.cas.CasRecords.place;
import static io.leasehold.engine.cas.CasRecords.record;
import static io.leasehold.engine.cas.CasRecords.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests for {@link LockRecord} and its parts, and for what a process sees of them.
 */
class CasRecordTests {

	private static final long SECOND = 1_000_000;

	private final Place one = place("one", SHARED, SECOND, 2, 3, 4);

	private final Place two = place("two", SHARED, SECOND, 0, 0, 5);

	private final Mark mark = new Mark("member", EXCLUSIVE, 20_000, 2 * SECOND, 9);

	@Test
	void textIsParsedToTheSameRecord() {
		for (LockRecord record : List.of(record(null), record(this.mark, this.one, this.two), record(null, this.two))) {
			assertThat(LockRecord.parse(record.text())).isEqualTo(record);
		}
		assertThat(record(this.mark, this.one).text()).isEqualTo("""
				leasehold-1 10 100
				wait member x 20000 2000000 9
				hold one s 4 1 1000000 2 3 4
				""");
	}

	@Test
	void recordIsIdleWithoutMarkAndPlaces() {
		assertThat(record(null).isIdle()).isTrue();
		assertThat(record(this.mark).isIdle()).isFalse();
		assertThat(record(null, this.one).isIdle()).isFalse();
	}

	@Test
	void writesAreCounted() {
		assertThat(record(null).next(7, this.mark, List.of(this.one)))
			.isEqualTo(new LockRecord(11, 7, this.mark, List.of(this.one)));
	}

	@Test
	void markIsThatOfAMemberAndAnAccess() {
		assertThat(this.mark.isOf("member", EXCLUSIVE)).isTrue();
		assertThat(this.mark.isOf("member", SHARED)).isFalse();
		assertThat(this.mark.isOf("another", EXCLUSIVE)).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "10,0,0, 10,false", "10,1,0, 11,true", "10,0,10, 10,false", "10,0,11, 11,true", "10,5,12, 15,true",
			"0,0,1, 1,true" })
	void placeIsTakenForLeaseAndDelayOrTheMinimumHold(long lease, long delay, long closed, long length,
			boolean outlives) {
		Place place = place("one", SHARED, lease, delay, closed, 1);
		assertThat(place.length()).isEqualTo(length);
		assertThat(place.outlivesItsLease()).isEqualTo(outlives);
	}

	@Test
	void ageIsThatOfTheFirstSightInWholeMicroseconds() {
		Sight sight = new Sight(record(null), Map.of(1L, 0L, 2L, 1L, 3L, 5000L), 2000);
		assertThat(sight.age(1)).isEqualTo(2);
		assertThat(sight.age(2)).as("rounded down").isEqualTo(1);
		assertThat(sight.age(3)).as("response after this request").isZero();
		assertThat(sight.age(4)).as("never seen").isZero();
	}

	@Test
	void partEndsAfterItsLengthAndOnePercentAndAMicrosecond() {
		long over = SECOND + SECOND / 100 + 1;
		Place held = place("one", SHARED, SECOND, 0, 0, 4);
		Sight before = seen(record(this.mark, held), Map.of(4L, over - 1, 9L, 2 * over - 2));
		assertThat(before.left(held)).isOne();
		assertThat(before.taken()).containsExactly(held);
		assertThat(before.isHeld(held)).isTrue();
		assertThat(before.heldBy("one")).isEqualTo(held);
		assertThat(before.heldBy("two")).isNull();
		assertThat(before.mark()).isEqualTo(this.mark);
		assertThat(before.markLeft(this.mark)).isOne();
		Sight after = seen(record(this.mark, held), Map.of(4L, over, 9L, 2 * over - 1));
		assertThat(after.left(held)).isZero();
		assertThat(after.taken()).isEmpty();
		assertThat(after.isHeld(held)).isFalse();
		assertThat(after.heldBy("one")).isNull();
		assertThat(after.mark()).isNull();
		assertThat(fresh(record(null)).mark()).isNull();
	}

	@Test
	void placeWithoutALengthIsFreeAtOnce() {
		Place released = place("one", SHARED, 0, 0, 0, 4);
		assertThat(fresh(record(null, released)).taken()).isEmpty();
		Place closed = place("one", SHARED, 0, 0, 5, 4);
		assertThat(fresh(record(null, closed)).taken()).containsExactly(closed);
		assertThat(fresh(record(null, closed)).isHeld(closed)).isFalse();
	}

	@Test
	void ownersRelyOnTheLengthOnly() {
		Place closed = place("one", SHARED, 10, 5, 20, 4);
		Sight sight = seen(record(null, closed), Map.of(4L, 8L));
		assertThat(sight.leaseLeft(closed)).isEqualTo(2);
		assertThat(sight.closedLeft(closed)).isEqualTo(12);
		Sight later = seen(record(null, closed), Map.of(4L, 30L));
		assertThat(later.leaseLeft(closed)).isZero();
		assertThat(later.closedLeft(closed)).isZero();
	}

	@Test
	void partKeepsTheTimeOfItsFirstResponse() {
		ManualClock clock = new ManualClock();
		Sights sights = new Sights(clock);
		long first = clock.nanoTime();
		sights.look("k", record(this.mark, this.one), first);
		clock.advance(Duration.ofMillis(1));
		long second = clock.nanoTime();
		Sight sight = sights.look("k", record(this.mark, this.one, this.two), first);
		assertThat(sight.first()).containsOnly(Map.entry(4L, first), Map.entry(5L, second), Map.entry(9L, first));
		assertThat(sight.now()).isEqualTo(first);
	}

	@Test
	void idleAndMissingRecordsAreNotRemembered() {
		ManualClock clock = new ManualClock();
		Sights sights = new Sights(clock);
		for (LockRecord gone : new LockRecord[] { record(null), null }) {
			sights.look("k", record(this.mark), 0);
			assertThat(sights.size()).isOne();
			Sight sight = sights.look("k", gone, 7);
			assertThat(sights.size()).isZero();
			assertThat(sight.record().isIdle()).isTrue();
			assertThat(sight.now()).isEqualTo(7);
		}
	}

	/** Twice the longest length, and the ten seconds between two searches. */
	@Test
	void recordIsForgottenSomeTimeAfterItsLastSight() {
		for (LockRecord record : List.of(record(this.mark), record(this.mark, this.one),
				record(new Mark("member", EXCLUSIVE, 1, 1, 9), place("one", SHARED, 2 * SECOND, 0, 0, 4)))) {
			ManualClock clock = new ManualClock();
			Sights sights = new Sights(clock);
			sights.look("k", record, clock.nanoTime());
			clock.advance(Duration.ofSeconds(14));
			look(sights);
			assertThat(sights.size()).as("at its end").isOne();
			clock.advance(Duration.ofSeconds(10));
			look(sights);
			assertThat(sights.size()).isZero();
		}
	}

	@Test
	void searchForForgottenRecordsIsDueEveryTenSeconds() {
		ManualClock clock = new ManualClock();
		Sights sights = new Sights(clock);
		Mark brief = new Mark("member", EXCLUSIVE, 1, 1, 9);
		sights.look("k", record(brief), clock.nanoTime());
		clock.advance(Duration.ofSeconds(10).minusNanos(1));
		look(sights);
		clock.advance(Duration.ofNanos(1));
		look(sights); // due now, but the record is kept for two microseconds more
		assertThat(sights.size()).isOne();
		clock.advance(Duration.ofSeconds(10).minusNanos(1));
		look(sights);
		assertThat(sights.size()).as("not due").isOne();
		clock.advance(Duration.ofNanos(1));
		look(sights);
		assertThat(sights.size()).isZero();
	}

	private static void look(Sights sights) {
		sights.look("missing", null, 0);
	}

	@ParameterizedTest
	@CsvSource({ "0,0", "1,1", "999,1", "1000,1", "1001,2", "1000000000,1000000", "1000000001,1000001" })
	void durationIsRoundedUpToMicroseconds(long nanos, long micros) {
		assertThat(Micros.of(Duration.ofNanos(nanos))).isEqualTo(micros);
	}

	@Test
	void microsecondsAreDurations() {
		assertThat(Micros.toDuration(1_000_001)).isEqualTo(Duration.ofSeconds(1).plusNanos(1000));
		assertThat(Micros.toNanos(3)).isEqualTo(3000);
		assertThat(Micros.wallClock() / 1000).isCloseTo(System.currentTimeMillis(), within(60_000L));
	}

	@Test
	void keyOfTheGreatestLengthIsKeptAndALongerOneEndsWithADigest() {
		StoreKeys keys = new StoreKeys("ns");
		String longest = "k".repeat(StoreKeys.LONGEST - 3);
		assertThat(keys.of(new LockKey(longest))).isEqualTo("ns:" + longest);
		assertThat(keys.of(new LockKey(longest + "k"))).hasSize(StoreKeys.LONGEST)
			.matches("ns:k{172}#[0-9a-f]{64}")
			.isNotEqualTo(keys.of(new LockKey(longest + "l")));
	}

	@Test
	void charactersBetweenSpaceAndDeleteAreKept() {
		Map<String, String> escaped = Map.of("!", "!", "~", "~", " ", "%20", "\u007f", "%7F", "%", "%25", "#", "%23",
				"\u00e9", "%C3%A9");
		escaped.forEach((text, code) -> {
			assertThat(new StoreKeys("ns").of(new LockKey("a" + text + "b"))).isEqualTo("ns:a" + code + "b");
			assertThat(new StoreKeys("a:" + text).of(new LockKey("k"))).isEqualTo("a%3A" + code + ":k");
		});
	}

}
