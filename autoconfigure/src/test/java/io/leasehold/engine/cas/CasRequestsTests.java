package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Requests of {@code engine.cas} that are late, lost or concurrent.
 */
class CasRequestsTests extends CasProtocolFixture {

	/** A write arrives after its claim was given up: it finds another entry. */
	@Fault(104)
	@Test
	void lateRequestOfAClaimThatWasGivenUpIsRejected() throws Exception {
		for (boolean used : List.of(false, true)) {
			Process one = new Process();
			if (used) {
				Claim first = one.claim();
				one.granted(first);
				one.engine.release(first);
			}
			one.delays = true;
			Claim claim = one.claim();
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> one.request(claim))
				.withMessageContaining("order:42");
			one.delays = false;
			assertThat(one.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
			assertThat(one.late.remove().send()).isFalse();
			Process other = new Process();
			Claim next = other.claim();
			other.granted(next);
			other.engine.release(next);
			this.store.lose(ENTRY);
		}
	}

	@Test
	void lateRenewalOfAReleasedClaimIsRejected() throws Exception {
		Process one = new Process();
		Claim claim = one.claim();
		Granted granted = one.granted(claim);
		one.delays = true;
		assertThat(one.renew(claim, granted)).isInstanceOf(RenewalOutcome.Unknown.class);
		one.delays = false;
		one.clock.advance(LEASE_AND_PERCENT);
		assertThat(one.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(one.late.remove().send()).isFalse();
		assertThat(new Process().request()).isInstanceOf(Granted.class);
	}

	@Fault(11)
	@Test
	void grantWhoseResponseWasLostIsFoundAgain() {
		Process one = new Process();
		Claim claim = one.claim();
		one.losesResponses = true;
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> one.request(claim));
		one.losesResponses = false;
		long number = this.store.read(ENTRY) != null ? one.engine.inspect(KEY).get(0).number() : 0;
		one.clock.advance(Duration.ofSeconds(5));
		Granted granted = one.granted(claim);
		assertThat(granted.number()).isEqualTo(number);
		assertThat(granted.validUntil() - one.clock.nanoTime()).isLessThanOrEqualTo(LEASE.toNanos());
		assertThat(one.engine.inspect(KEY)).hasSize(1);
	}

	@Fault(13)
	@Test
	void releaseWhoseResponseWasLostIsRepeated() {
		Process one = new Process();
		Claim claim = one.claim();
		one.granted(claim);
		one.losesResponses = true;
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> one.engine.release(claim));
		one.losesResponses = false;
		assertThat(one.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	/** The service does not repeat a release without a response forever. */
	@Test
	void claimsOfAnOutageDoNotStayInMemory() {
		Process one = new Process();
		one.losesResponses = true;
		for (int i = 0; i < 100; i++) {
			Claim claim = one.claim();
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> one.request(claim));
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> one.engine.release(claim));
			this.store.lose(ENTRY);
		}
		await().untilAsserted(() -> {
			System.gc();
			assertThat(one.engine.ownersWithoutResponse()).isLessThan(10);
		});
	}

	/** Even if each attempt is that of a process that has just started. */
	@Test
	void markOfADeadWriterRefusesOneAttemptOnAFreeKey() {
		Process reader = new Process();
		Claim held = reader.claim(Access.SHARED, NONE, false);
		reader.granted(held);
		Process dead = new Process();
		assertThat(dead.request(dead.claim(Access.EXCLUSIVE, NONE, true))).isInstanceOf(Busy.class);
		assertThat(new Process().request(Access.SHARED)).as("behind the writer").isInstanceOf(Busy.class);
		reader.engine.release(held);
		assertThat(new Process().request(Access.SHARED)).as("turn of the writer").isInstanceOf(Busy.class);
		assertThat(new Process().request(Access.SHARED)).isInstanceOf(Granted.class);
	}

	@Test
	void markOfADeadWriterEndsWhileReadersGoOn() {
		Process reader = new Process();
		reader.granted(reader.claim(Access.SHARED, NONE, false));
		Process dead = new Process();
		assertThat(dead.request(dead.claim(Access.EXCLUSIVE, NONE, true))).isInstanceOf(Busy.class);
		Process late = new Process();
		Claim claim = late.claim(Access.SHARED, NONE, true);
		assertThat(late.request(claim)).isInstanceOf(Busy.class);
		late.clock.advance(CasLockEngineContractTests.settings("test").markLife().multipliedBy(102).dividedBy(100));
		late.granted(claim);
	}

	@Test
	void processStandsBackForTheWaiterOfAnother() {
		Process one = new Process();
		Claim held = one.claim();
		one.granted(held);
		Process other = new Process();
		Claim waiting = other.claim(Access.EXCLUSIVE, NONE, true);
		assertThat(other.request(waiting)).isInstanceOf(Busy.class);
		assertThat(one.engine.release(held)).isInstanceOfSatisfying(ReleaseOutcome.Released.class,
				(released) -> assertThat(released.standBack()).isPositive());
		other.granted(waiting);
		assertThat(other.engine.release(waiting)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void readersThatRenewAtOnceAreAllRenewed() throws Exception {
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			List<Future<RenewalOutcome>> outcomes = new ArrayList<>();
			List<Callable<RenewalOutcome>> renewals = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				Process reader = new Process(
						new CasSettings("test", Duration.ofSeconds(30), Duration.ofMillis(5), LEASE, LEASE));
				Claim claim = reader.claim(Access.SHARED, NONE, false);
				Granted granted = reader.granted(claim);
				renewals.add(() -> reader.renew(claim, granted));
			}
			outcomes.addAll(threads.invokeAll(renewals));
			for (Future<RenewalOutcome> outcome : outcomes) {
				assertThat(outcome.get()).isInstanceOf(RenewalOutcome.Renewed.class);
			}
			assertThat(new Process().engine.inspect(KEY)).hasSize(20);
		}
		finally {
			threads.shutdown();
		}
	}

	@Test
	void holderAfterTheLastThatAnEntryContainsFindsItBusy() {
		Process one = new Process();
		for (int i = 0; i < Acquisition.MOST_HOLDERS; i++) {
			one.granted(one.claim(Access.SHARED, NONE, false));
		}
		assertThat(one.request(Access.SHARED)).isInstanceOf(Busy.class);
		assertThat(this.store.read(ENTRY).value()).hasSizeLessThan(70_000);
	}

	@Test
	void failureOfOneRenewalDoesNotAffectTheOthers() {
		Process one = new Process();
		List<Renewal> renewals = IntStream.range(0, 20).mapToObj((i) -> {
			Claim claim = one.claim(new LockKey("batch:" + i), Access.EXCLUSIVE, NONE, false);
			return new Renewal(claim, one.granted(claim).number(), LEASE);
		}).toList();
		one.fails = "test:batch:7";
		List<RenewalOutcome> outcomes = one.engine.renew(renewals);
		for (int i = 0; i < 20; i++) {
			assertThat(outcomes.get(i))
				.isInstanceOf((i == 7) ? RenewalOutcome.Unknown.class : RenewalOutcome.Renewed.class);
		}
	}

	@Test
	void entryThatLeaseholdDidNotWriteIsReported() {
		for (String text : List.of("", "something else", "leasehold-1", "leasehold-1 1", "leasehold-1 1 2\nhold x",
				"leasehold-1 1 2\nhold a? z 1 1 1 1 1 1")) {
			this.store.lose(ENTRY);
			this.store.create(ENTRY, text, LEASE);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> new Process().request())
				.withMessage("Could not acquire lock 'order:42' on engine 'test':"
						+ " its entry in the store was not written by Leasehold")
				.matches((ex) -> !ex.isRetryable());
		}
	}

	@Test
	void unusedKeysAreForgotten() {
		Process holder = new Process();
		Process other = new Process();
		for (int i = 0; i < 100; i++) {
			LockKey key = new LockKey("key:" + i);
			Claim held = holder.claim(key, Access.EXCLUSIVE, NONE, false);
			holder.granted(held);
			assertThat(other.request(other.claim(key, Access.EXCLUSIVE, NONE, false))).isInstanceOf(Busy.class);
			holder.engine.release(held);
		}
		assertThat(holder.engine.size()).isZero();
		assertThat(other.engine.size()).isEqualTo(100);
		other.clock.advance(LEASE.multipliedBy(4));
		other.request();
		assertThat(other.engine.size()).isOne();
	}

}
