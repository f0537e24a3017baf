package io.leasehold.test.contract;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

import org.junit.jupiter.api.Test;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The part of the contract that tests the engine directly. Each test has a separate
 * namespace.
 */
abstract class EngineContract extends EngineContractFixture {

	@Test
	void freeKeyIsGrantedAndThenBusyForOthers() {
		Process one = process();
		Process other = process();
		long before = System.nanoTime();
		Granted granted = one.granted(one.claim(KEY));
		assertThat(granted.number()).isPositive().isLessThan(1L << 57);
		assertThat(granted.validUntil() - before).isPositive()
			.isLessThanOrEqualTo(LONG_LEASE.toNanos() + (System.nanoTime() - before));
		AcquisitionOutcome busy = other.engine().tryAcquire(other.claim(KEY));
		assertThat(busy).isInstanceOfSatisfying(Busy.class, (response) -> assertThat(response.retryIn()).isPositive());
	}

	/** A repeated request finds the grant that a lost reply hid. */
	@Fault(11)
	@Test
	void repeatedRequestFindsItsOwnGrant() {
		Process one = process();
		Claim claim = one.claim(KEY);
		assertThat(one.granted(claim).number()).isEqualTo(one.granted(claim).number());
	}

	@Test
	void numbersGrowOverReleasesAndBetweenProcesses() {
		Process one = process();
		Process other = process();
		long last = 0;
		for (int i = 0; i < 10; i++) {
			Process process = (i % 2 == 0) ? one : other;
			Claim claim = process.claim(KEY);
			long number = process.granted(claim).number();
			assertThat(number).isGreaterThan(last);
			last = number;
			assertThat(process.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		}
	}

	@Test
	void numbersGrowOverTheLossOfALock() {
		Process one = process();
		Process other = process();
		long number = one.granted(one.claim(KEY)).number();
		lose(this.namespace, KEY);
		assertThat(other.granted(other.claim(KEY)).number()).isGreaterThan(number);
	}

	/** A lease that has ended gives no right to the lock of the next owner. */
	@Fault(94)
	@Test
	void formerOwnerCanNeitherRenewNorRelease() {
		Process one = process();
		Process other = process();
		Claim former = one.claim(KEY, shortLease());
		Granted formerGrant = one.granted(former);
		Claim present = other.waiting(KEY);
		Granted grant = other.await(present);
		assertThat(grant.number()).isGreaterThan(formerGrant.number());
		assertThat(one.renew(former, formerGrant)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(one.engine().release(former)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(other.renew(present, grant)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(one.engine().tryAcquire(one.claim(KEY))).isInstanceOf(Busy.class);
	}

	/** A forged claim token is rejected, even with the number of the grant. */
	@Fault(94)
	@Test
	void strangerCanNeitherRenewNorRelease() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY);
		Granted granted = one.granted(claim);
		Claim forged = other.claim(KEY);
		assertThat(other.engine().inspect(KEY)).as("from an engine that is connected").hasSize(1);
		assertThat(other.renew(forged, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(other.engine().release(forged)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(one.renew(claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(one.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	/**
	 * The lease ends no earlier than its length after the request, and not much later.
	 */
	@Test
	void leaseOfASilentOwnerEnds() {
		Process one = process();
		Process other = process();
		Pace requested = Pace.begin();
		one.granted(one.claim(KEY, shortLease()));
		other.await(other.waiting(KEY));
		took(shortLease(), requested);
	}

	@Test
	void renewedLeaseGoesOn() {
		Process one = process();
		Process other = process();
		eventually().until(() -> {
			Claim claim = Claims.waiting(one.claim(KEY, shortLease()));
			Granted granted = one.await(claim);
			long sent = System.nanoTime();
			RenewalOutcome outcome = one.renew(claim, granted);
			if (outcome instanceof RenewalOutcome.NotOwner && System.nanoTime() - granted.validUntil() >= 0) {
				return false; // a pause of the machine has outlasted the lease
			}
			assertThat(outcome).isInstanceOfSatisfying(RenewalOutcome.Renewed.class,
					(renewed) -> assertThat(renewed.validUntil() - sent)
						.isGreaterThan(shortLease().multipliedBy(9).dividedBy(10).toNanos()));
			other.await(other.waiting(KEY));
			assertThat(System.nanoTime() - sent).isGreaterThan(shortLease().minusMillis(20).toNanos());
			return true;
		});
	}

	@Test
	void renewalNeverShortensALease() {
		Process one = process();
		Claim claim = one.claim(KEY, Duration.ofSeconds(60));
		Granted granted = one.granted(claim);
		assertThat(one.renew(new Renewal(claim, granted.number(), shortLease())))
			.isInstanceOf(RenewalOutcome.Renewed.class);
		Duration remaining = one.engine().inspect(KEY).get(0).remaining();
		if (remaining != null) {
			assertThat(remaining).isGreaterThan(Duration.ofSeconds(30));
		}
		else {
			eventually().during(shortLease().plusMillis(500)).until(() -> one.engine().inspect(KEY).size() == 1);
		}
	}

	/** A lost lock stays lost: a renewal never acquires it again. */
	@Fault(17)
	@Test
	void renewalOfALostLockIsRejectedAndCreatesNothing() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY);
		Granted granted = one.granted(claim);
		lose(this.namespace, KEY);
		assertThat(one.renew(claim, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		other.granted(other.claim(KEY));
	}

	/** I7: an expired lease stays expired, even if the key has had no owner since. */
	@Test
	void expiredLeaseIsNeitherRenewedNorReleased() {
		Process one = process();
		Claim renewed = one.claim(KEY, shortLease());
		Granted granted = one.granted(renewed);
		Claim released = one.claim(new LockKey("another"), shortLease());
		one.granted(released);
		eventually()
			.until(() -> one.engine().inspect(KEY).isEmpty() && one.engine().inspect(new LockKey("another")).isEmpty());
		assertThat(one.renew(renewed, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(one.engine().release(released)).isNotInstanceOf(ReleaseOutcome.Released.class);
		Process other = process();
		assertThat(other.granted(other.claim(KEY)).number()).isGreaterThan(granted.number());
		other.granted(other.claim(new LockKey("another")));
	}

	/**
	 * Thousands of locks are renewed in one call: each has a separate outcome, and all
	 * outcomes arrive in time, between a third and half of the lease.
	 */
	@Fault({ 55, 56 })
	@Test
	void batchReportsTheOutcomeOfEachLease() throws Exception {
		Process one = process();
		int last = manyLocks() - 1;
		Renewal[] renewals = new Renewal[manyLocks()];
		inParallel((i) -> {
			Claim claim = one.claim(new LockKey("batch:" + i), patience().multipliedBy(6));
			renewals[i] = new Renewal(claim, responded(() -> one.granted(claim)).number(), claim.lease());
		});
		lose(this.namespace, new LockKey("batch:7"));
		lose(this.namespace, new LockKey("batch:" + last));
		Map<Renewal, RenewalOutcome> fates = fates(one, List.of(renewals));
		for (int i = 0; i <= last; i++) {
			assertThat(fates.get(renewals[i])).as("batch:%d", i)
				.isInstanceOf((i == 7 || i == last) ? RenewalOutcome.NotOwner.class : RenewalOutcome.Renewed.class);
		}
		inParallel((i) -> responded(() -> one.engine().release(renewals[i].claim())));
		assertThat(residue(this.namespace)).isEmpty();
	}

	/** Renew as the service does: repeat the renewals that got no response. */
	private Map<Renewal, RenewalOutcome> fates(Process process, List<Renewal> renewals) {
		Map<Renewal, RenewalOutcome> known = new HashMap<>();
		long end = System.nanoTime() + patience().toNanos();
		List<Renewal> due = renewals;
		while (!due.isEmpty() && System.nanoTime() - end < 0) {
			List<RenewalOutcome> outcomes = process.engine().renew(due);
			for (int i = 0; i < due.size(); i++) {
				if (!(outcomes.get(i) instanceof RenewalOutcome.Unknown)) {
					known.put(due.get(i), outcomes.get(i));
				}
			}
			due = due.stream().filter((renewal) -> !known.containsKey(renewal)).toList();
		}
		return known;
	}

	/** Run an action for each of many locks, in a few threads. */
	private void inParallel(IntConsumer action) throws Exception {
		AtomicInteger next = new AtomicInteger();
		Parallel.run(Collections.<Callable<Void>>nCopies(4, () -> {
			for (int i = next.getAndIncrement(); i < manyLocks(); i = next.getAndIncrement()) {
				action.accept(i);
			}
			return null;
		}));
	}

	@Test
	void releaseMayBeRepeated() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY);
		one.granted(claim);
		assertThat(one.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		Claim next = other.claim(KEY);
		Granted granted = other.granted(next);
		assertThat(one.engine().release(claim)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(other.renew(next, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

}
