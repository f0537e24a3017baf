package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.LockTerms;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Terms;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the protocol of {@link CasLockEngine}, with a separate clock for the store
 * and for each process.
 */
class CasProtocolTests extends CasProtocolFixture {

	@Test
	void entryIsReplacedAfterItWasSeenForItsLeaseAndAPercent() {
		Process dead = new Process();
		long number = dead.granted(dead.claim()).number();
		Process other = new Process();
		Claim claim = other.claim();
		assertThat(other.request(claim)).isInstanceOf(Busy.class);
		other.clock.advance(LEASE.plusMillis(99));
		assertThat(other.request(claim)).isInstanceOf(Busy.class);
		other.clock.advance(Duration.ofMillis(2));
		assertThat(other.granted(claim).number()).isGreaterThan(number);
	}

	/** From the response, since the entry may have been written just before it. */
	@Test
	void entryIsSeenFromTheResponseThatFirstShowedIt() {
		Process dead = new Process();
		dead.granted(dead.claim());
		Process other = new Process();
		other.responseTakes = LEASE_AND_PERCENT;
		assertThat(other.request(other.claim())).isInstanceOf(Busy.class);
		other.responseTakes = NONE;
		assertThat(other.request(other.claim())).isInstanceOf(Busy.class);
		other.clock.advance(LEASE_AND_PERCENT);
		other.granted(other.claim());
	}

	@Test
	void renewedEntryIsSeenAnew() {
		Process holder = new Process();
		Claim held = holder.claim();
		Granted granted = holder.granted(held);
		Process other = new Process();
		Claim claim = other.claim();
		for (int i = 0; i < 3; i++) {
			assertThat(other.request(claim)).isInstanceOf(Busy.class);
			other.clock.advance(LEASE.minusSeconds(1));
			assertThat(holder.renew(held, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		}
		assertThat(other.request(claim)).isInstanceOf(Busy.class);
	}

	/** An hourly job that does not wait finds out that the last one has died. */
	@Test
	void entryThatAnEarlierClaimSawIsKnown() {
		Process dead = new Process();
		dead.granted(dead.claim());
		Process other = new Process();
		assertThat(other.request(other.claim())).isInstanceOf(Busy.class);
		other.clock.advance(LEASE_AND_PERCENT);
		other.granted(other.claim());
	}

	@Test
	void processThatHasJustStartedFindsTheEntryOfADeadHolderRemoved() {
		Process dead = new Process();
		Claim held = dead.claim();
		Granted granted = dead.granted(held);
		this.storeClock.advance(LEASE);
		dead.renew(held, granted);
		this.storeClock.advance(LEASE);
		assertThat(new Process().request()).isInstanceOf(Busy.class);
		this.storeClock.advance(Duration.ofSeconds(1));
		assertThat(new Process().request()).isInstanceOf(Granted.class);
	}

	@Test
	void minimumHoldEndsByTheClockOfTheStore() {
		Process job = new Process();
		Claim held = job.claim(Access.EXCLUSIVE, Duration.ofMinutes(50), false);
		job.granted(held);
		job.clock.advance(Duration.ofSeconds(5));
		this.storeClock.advance(Duration.ofSeconds(5));
		assertThat(job.engine.release(held)).isInstanceOf(ReleaseOutcome.Released.class);
		this.storeClock.advance(Duration.ofMinutes(49));
		Process waiting = new Process();
		assertThat(waiting.request(waiting.claim(Access.EXCLUSIVE, NONE, true))).isInstanceOf(Busy.class);
		assertThat(new Process().request()).isInstanceOf(Busy.class);
		this.storeClock.advance(Duration.ofSeconds(56));
		assertThat(new Process().request()).isInstanceOf(Granted.class);
	}

	@Test
	void minimumHoldOfADeadHolderEndsByTheClockOfTheStore() {
		Process job = new Process();
		job.granted(job.claim(Access.EXCLUSIVE, Duration.ofMinutes(50), false));
		this.storeClock.advance(Duration.ofMinutes(50));
		assertThat(new Process().request()).isInstanceOf(Busy.class);
		this.storeClock.advance(Duration.ofSeconds(1));
		assertThat(new Process().request()).isInstanceOf(Granted.class);
	}

	@Test
	void lockDelayKeepsAKeyLockedAfterItsLease() {
		Process dead = new Process();
		dead.granted(new Claim(KEY, dead.member.newOwner(), Terms.of(Access.EXCLUSIVE, LEASE, NONE, LEASE), false,
				dead.clock.nanoTime()));
		Process other = new Process();
		Claim claim = other.claim();
		assertThat(other.request(claim)).isInstanceOf(Busy.class);
		other.clock.advance(LEASE_AND_PERCENT);
		assertThat(other.engine.inspect(KEY)).isEmpty();
		assertThat(other.request(claim)).isInstanceOf(Busy.class);
		other.clock.advance(LEASE_AND_PERCENT);
		other.granted(claim);
	}

	/** The entry is lost and written again by the same claim: it is another entry. */
	@Test
	void entryThatWasLostAndWrittenAgainIsSeenAnew() {
		Process holder = new Process();
		Claim held = holder.claim();
		holder.granted(held);
		Process other = new Process();
		assertThat(other.request(other.claim())).isInstanceOf(Busy.class);
		other.clock.advance(LEASE.minusSeconds(1));
		this.store.lose(ENTRY);
		holder.granted(held);
		assertThat(other.request(other.claim())).isInstanceOf(Busy.class);
		other.clock.advance(LEASE.minusSeconds(1));
		assertThat(other.request(other.claim())).isInstanceOf(Busy.class);
	}

	@Test
	void numbersGrowWhateverTheWallClockShows() {
		Process one = new Process();
		List<Long> numbers = new ArrayList<>();
		for (long micros : List.of(1_000_000L, 500_000L, 0L, 2_000_000L, 1_999_999L)) {
			this.wallClock = micros;
			Claim claim = one.claim();
			numbers.add(one.granted(claim).number());
			one.engine.release(claim);
		}
		assertThat(numbers).containsExactly(1_000_000L, 1_000_001L, 1_000_002L, 2_000_000L, 2_000_001L);
	}

	@Test
	void longestLeaseIsTheLongestThatTheStoreAccepts() {
		for (Duration most : List.of(Duration.ofMinutes(30), Duration.ofMillis(1_800_999))) {
			MemoryStore.Connection limited = new MemoryStore.Connection(this.store) {

				@Override
				public Duration maxTimeToLive() {
					return most;
				}

			};
			CasLockEngine engine = new CasLockEngine("test", limited, CasSettings.of("test"), MonotonicClock.SYSTEM);
			assertThat(engine.maxLease()).isEqualTo(Duration.ofMinutes(30).minusSeconds(1));
			engine.tryAcquire(new Claim(KEY, Member.of("test").newOwner(), engine.maxLease(), NONE, false, 0));
			assertThat(this.store.timeToLive(ENTRY)).isEqualTo(Duration.ofMinutes(30));
			this.store.lose(ENTRY);
		}
		assertThat(new Process().engine.maxLease()).isGreaterThan(LockTerms.MAX_LEASE);
	}

	@Test
	void storeThatEndsEntriesLateEnforcesNoMinimumHold() {
		MemoryStore.Connection late = new MemoryStore.Connection(this.store) {

			@Override
			public boolean isPunctual() {
				return false;
			}

		};
		assertThat(new CasLockEngine("test", late, CasSettings.of("test"), MonotonicClock.SYSTEM).capabilities())
			.containsExactlyInAnyOrder(Capability.SHARED, Capability.PERMITS);
		assertThat(new Process().engine.capabilities()).containsExactlyInAnyOrder(Capability.SHARED, Capability.PERMITS,
				Capability.MIN_HOLD, Capability.LOCK_DELAY);
	}

}
