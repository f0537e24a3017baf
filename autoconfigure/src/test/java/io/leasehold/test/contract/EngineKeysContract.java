package io.leasehold.test.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The part of the contract that is about keys, namespaces and operators.
 */
abstract class EngineKeysContract extends EngineWaitsContract {

	/** By which a store may show a grant after a wait too early. */
	private static final Duration ALMOST = Duration.ofSeconds(1);

	/**
	 * Until the min hold ends if the store enforces it, otherwise until the lease ends.
	 */
	@Test
	void keyOfASilentOwnerStaysLocked() {
		Process one = process();
		Process other = process();
		Duration minHold = one.has(Capability.MIN_HOLD) ? shortLease().multipliedBy(2) : Duration.ZERO;
		Duration unavailable = one.has(Capability.MIN_HOLD) ? minHold : shortLease();
		Pace requested = Pace.begin();
		one.granted(new Claim(KEY, one.member().newOwner(), shortLease(), minHold, false, System.nanoTime()));
		other.await(other.waiting(KEY));
		took(unavailable, requested);
	}

	/** Until the min hold ends if the store enforces it, otherwise not at all. */
	@Test
	void releasedKeyStaysLockedForItsMinHold() {
		Process one = process();
		Process other = process();
		Duration minHold = one.has(Capability.MIN_HOLD) ? shortLease() : Duration.ZERO;
		Pace requested = Pace.begin();
		Claim claim = new Claim(KEY, one.member().newOwner(), Duration.ofSeconds(60), minHold, false,
				System.nanoTime());
		one.granted(claim);
		assertThat(one.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		other.await(other.waiting(KEY));
		took(minHold, requested);
	}

	/**
	 * Keys that a collation, a path, a pattern or a script could confuse or reject are
	 * different locks: keys differ if any character of their texts differs.
	 */
	@Fault({ 67, 69, 70, 71, 75 })
	@Test
	void hostileKeysAreAllDifferent() {
		Process one = process();
		Process other = process();
		List<LockKey> keys = hostileKeys();
		List<Claim> claims = keys.stream().map((key) -> one.claim(key, Duration.ofSeconds(60))).toList();
		List<Renewal> renewals = claims.stream()
			.map((claim) -> new Renewal(claim, one.granted(claim).number(), claim.lease()))
			.toList();
		keys.forEach((key) -> assertThat(other.engine().tryAcquire(other.claim(key))).as(key.value())
			.isInstanceOf(Busy.class));
		assertThat(one.engine().renew(renewals)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		claims.forEach((claim) -> assertThat(one.engine().release(claim)).as(claim.key().value())
			.isInstanceOf(ReleaseOutcome.Released.class));
		assertThat(residue(this.namespace)).isEmpty();
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> new LockKey("x".repeat(513)));
	}

	private static List<LockKey> hostileKeys() {
		String nul = "nul" + (char) 0;
		return Stream
			.of("order-a", "ORDER-A", "order-a ", " order-a", "e", "\u00e9", "e\u0301", "s", "\u00df", "ss",
					"\ud83c\udf63", "\ud83c\udf7a", "{}", "{}x}", "}", "{", "{a}", "a", "a/b", "a//b", "a/", "/", "//",
					"..", ".", "%", "%25", "%7B", "*", "?", "[a]", ":", "a:b", "a:", "a:fence", "a:queue", "'", "''",
					"\"", "; DROP TABLE leasehold_lock", "a\u0001", "a\tb", "a\r\nb", "a\nb", nul, nul + "x", "nul",
					"1", "01", "1.0", "x".repeat(512), "x".repeat(511), "x".repeat(511) + "y", "\u4e2d".repeat(170),
					"\\", "a\\", "_", "a_b", "a-b")
			.map(LockKey::new)
			.toList();
	}

	/**
	 * Applications that share a store share locks only in the same namespace, however
	 * namespace and key are combined.
	 */
	@Fault(74)
	@Test
	void namespacesNeverMeet() {
		Process one = process();
		Process elsewhere = process(this.namespace + ":x");
		Claim claim = one.claim(KEY);
		one.granted(claim);
		one.granted(one.claim(new LockKey("x:b")));
		elsewhere.granted(elsewhere.claim(KEY));
		elsewhere.granted(elsewhere.claim(new LockKey("b")));
		assertThat(process().engine().inspect(new LockKey("b"))).isEmpty();
		Process beside = process();
		assertThat(beside.engine().tryAcquire(beside.claim(KEY))).isInstanceOf(Busy.class);
		one.engine().release(claim);
		beside.granted(beside.claim(KEY));
		assertThat(elsewhere.engine().tryAcquire(elsewhere.claim(KEY))).isInstanceOf(Busy.class);
	}

	@Test
	void operatorsSeeWhoHoldsAKey() {
		Process one = process();
		assertThat(one.engine().inspect(KEY)).isEmpty();
		Claim claim = one.claim(KEY, Duration.ofSeconds(30));
		Granted granted = one.granted(claim);
		Holder holder = process().engine().inspect(KEY).get(0);
		assertThat(holder.application()).isEqualTo("contract");
		assertThat(holder.process()).isEqualTo(ProcessHandle.current().pid());
		assertThat(holder.thread()).isNotBlank();
		assertThat(holder.number()).isEqualTo(granted.number());
		assertThat(holder.since()).isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
		if (holder.remaining() != null) {
			assertThat(holder.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
		}
		one.engine().release(claim);
		assertThat(one.engine().inspect(KEY)).isEmpty();
	}

	/**
	 * The time of the request would show a hold that is longer by the wait. After a wait,
	 * the grant may be shown a second early, and earlier until it is written.
	 */
	@Test
	void operatorsSeeSinceWhenAKeyIsHeld() {
		Process one = process();
		Process other = process();
		Map<Claim, Waiter> waits = new LinkedHashMap<>();
		Stream.of(Access.EXCLUSIVE, Access.SHARED, Access.permits(1))
			.filter((access) -> supports(one, access))
			.forEach((access) -> {
				for (String end : List.of("released", "forced")) {
					LockKey key = new LockKey(access + " " + end);
					Claim held = claim(one, key, access.isPermit() ? access : Access.EXCLUSIVE);
					one.granted(held);
					waits.put(held, other.begin(Claims.waiting(claim(other, key, access))));
				}
			});
		Instant requested = now(one, 0);
		Instant before = requested;
		for (int i = 1; before.isBefore(requested.plus(ALMOST.multipliedBy(6).dividedBy(5))); i++) {
			LockSupport.parkNanos(ALMOST.toNanos() / 10);
			before = now(one, i);
		}
		Instant earliest = before.minus(ALMOST).minusMillis(20);
		waits.forEach((held, waiter) -> {
			if (held.key().value().endsWith("forced")) {
				one.engine().forceRelease(held.key());
			}
			else {
				one.engine().release(held);
			}
			waiter.await();
			Instant after = now(one, -1).plusMillis(20);
			eventually().untilAsserted(() -> assertThat(other.engine().inspect(held.key())).as(held.key().value())
				.singleElement()
				.satisfies((holder) -> assertThat(holder.since()).isBetween(earliest, after)));
		});
	}

	private static boolean supports(Process process, Access access) {
		return access.equals(Access.EXCLUSIVE)
				|| process.has(access.isPermit() ? Capability.PERMITS : Capability.SHARED);
	}

	private static Claim claim(Process process, LockKey key, Access access) {
		return new Claim(key, process.member().newOwner(),
				Terms.of(access, Duration.ofSeconds(60), Duration.ZERO, Duration.ZERO), false, System.nanoTime());
	}

	/** Return the time by the clock that the store shows: that of another grant. */
	private static Instant now(Process process, int moment) {
		LockKey key = new LockKey("moment " + moment);
		Claim claim = process.claim(key);
		process.granted(claim);
		Instant since = process.engine().inspect(key).get(0).since();
		process.engine().release(claim);
		return since;
	}

	/** After a forced release, the grant number of the next owner is greater. */
	@Fault(95)
	@Test
	void forcedReleaseTakesTheKeyFromItsOwnerAndServesTheNext() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY, Duration.ofSeconds(60));
		Granted granted = one.granted(claim);
		Claim waiting = other.waiting(KEY);
		Waiter waiter = other.begin(waiting);
		Holder lost = process().engine().forceRelease(KEY).get(0);
		Pace released = Pace.begin();
		assertThat(lost.number()).isEqualTo(granted.number());
		assertThat(lost.application()).isEqualTo("contract");
		assertThat(waiter.await().number()).isGreaterThan(granted.number());
		tookAtMost(Duration.ZERO, released);
		assertThat(one.renew(claim, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(one.engine().release(claim)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(other.engine().release(waiting)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(residue(this.namespace)).isEmpty();
	}

	@Test
	void forcedReleaseOfAFreeKeyChangesNothing() {
		Process one = process();
		assertThat(one.engine().forceRelease(KEY)).isEmpty();
		long number = one.granted(one.claim(KEY)).number();
		assertThat(one.engine().forceRelease(KEY)).extracting(Holder::number).containsExactly(number);
		assertThat(one.engine().forceRelease(KEY)).isEmpty();
		assertThat(residue(this.namespace)).isEmpty();
	}

	@Test
	void raceForNewKeysHasOneWinnerEach() throws Exception {
		List<Process> racers = List.of(process(), process(), process(), process());
		Collection<Long> winners = new ConcurrentLinkedQueue<>();
		CyclicBarrier start = new CyclicBarrier(racers.size());
		List<Callable<Void>> runs = new ArrayList<>();
		for (Process racer : racers) {
			runs.add(() -> {
				for (long i = 0; i < 50; i++) {
					start.await(30, TimeUnit.SECONDS);
					Claim claim = racer.claim(new LockKey("new:" + i));
					if (responded(() -> racer.engine().tryAcquire(claim)) instanceof Granted) {
						winners.add(i);
					}
				}
				return null;
			});
		}
		Parallel.run(runs);
		assertThat(winners).hasSize(50).doesNotHaveDuplicates();
	}

}
