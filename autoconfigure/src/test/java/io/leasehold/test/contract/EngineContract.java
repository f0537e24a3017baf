package io.leasehold.test.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The part of the contract that tests the engine directly. Each test has a separate
 * namespace.
 */
@Timeout(300)
abstract class EngineContract {

	static final LockKey KEY = new LockKey("order:42");

	/** Time that the network and an idle machine may add. */
	static final Duration SLACK = Duration.ofSeconds(3);

	/** Time by which the store's clock may be ahead of the local clock. */
	private static final Duration EARLY = Duration.ofMillis(20);

	final String namespace = "contract-" + UUID.randomUUID();

	private final List<Process> processes = new ArrayList<>();

	/**
	 * Connect to the store as another process would. An engine that is closeable is
	 * closed at the end of the test.
	 * @param namespace namespace of the test, such as a prefix of keys or the name of a
	 * store
	 * @param member the process that connects
	 * @return a new engine, or one that all users of the namespace share
	 */
	protected abstract LockEngine connect(String namespace, Member member);

	/**
	 * Remove a lock from the store without notifying anyone.
	 * @param namespace namespace of the test
	 * @param key the key
	 */
	protected abstract void lose(String namespace, LockKey key);

	/**
	 * Return the entries that the store has for a namespace, except those that it keeps
	 * only for fencing tokens.
	 * @param namespace namespace of the test
	 * @return a description of each remaining entry, for messages
	 */
	protected abstract Collection<String> residue(String namespace);

	/**
	 * Return the lease whose end tests wait for: short, but several times the duration of
	 * a request on a loaded machine.
	 * @return one and a half seconds
	 */
	protected Duration shortLease() {
		return Duration.ofMillis(1500);
	}

	/**
	 * Return how long processes contend for a lock.
	 * @return two seconds
	 */
	protected Duration contention() {
		return Duration.ofSeconds(2);
	}

	/**
	 * Return how many locks a process renews at once.
	 * @return five thousand
	 */
	protected int manyLocks() {
		return 5000;
	}

	/**
	 * Return how long a test waits for an expected event before it fails.
	 * @return thirty seconds
	 */
	protected Duration patience() {
		return Duration.ofSeconds(30);
	}

	@AfterEach
	void disconnect() throws Exception {
		for (Process process : this.processes) {
			process.close();
		}
	}

	@Test
	void freeKeyIsGrantedAndThenBusyForOthers() {
		Process one = process();
		Process other = process();
		long before = System.nanoTime();
		Granted granted = one.granted(one.claim(KEY));
		assertThat(granted.number()).isPositive().isLessThan(1L << 57);
		assertThat(granted.validUntil() - before).isPositive()
			.isLessThanOrEqualTo(Duration.ofSeconds(10).toNanos() + (System.nanoTime() - before));
		AcquisitionOutcome busy = other.engine.tryAcquire(other.claim(KEY));
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
			assertThat(process.engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
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
		assertThat(one.engine.release(former)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(other.renew(present, grant)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(one.engine.tryAcquire(one.claim(KEY))).isInstanceOf(Busy.class);
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
		assertThat(other.engine.inspect(KEY)).as("from an engine that is connected").hasSize(1);
		assertThat(other.renew(forged, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(other.engine.release(forged)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(one.renew(claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(one.engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
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
		Claim claim = one.claim(KEY, shortLease());
		Granted granted = one.granted(claim);
		long sent = System.nanoTime();
		assertThat(one.renew(claim, granted)).isInstanceOfSatisfying(RenewalOutcome.Renewed.class,
				(renewed) -> assertThat(renewed.validUntil() - sent)
					.isGreaterThan(shortLease().multipliedBy(9).dividedBy(10).toNanos()));
		Claim waiting = other.waiting(KEY);
		other.await(waiting);
		assertThat(System.nanoTime() - sent).isGreaterThan(shortLease().minusMillis(20).toNanos());
	}

	@Test
	void renewalNeverShortensALease() {
		Process one = process();
		Claim claim = one.claim(KEY, Duration.ofSeconds(60));
		Granted granted = one.granted(claim);
		assertThat(one.renew(new Renewal(claim, granted.number(), shortLease())))
			.isInstanceOf(RenewalOutcome.Renewed.class);
		Duration remaining = one.engine.inspect(KEY).get(0).remaining();
		if (remaining != null) {
			assertThat(remaining).isGreaterThan(Duration.ofSeconds(30));
		}
		else {
			eventually().during(shortLease().plusMillis(500)).until(() -> one.engine.inspect(KEY).size() == 1);
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
			.until(() -> one.engine.inspect(KEY).isEmpty() && one.engine.inspect(new LockKey("another")).isEmpty());
		assertThat(one.renew(renewed, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(one.engine.release(released)).isNotInstanceOf(ReleaseOutcome.Released.class);
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
		inParallel((i) -> responded(() -> one.engine.release(renewals[i].claim())));
		assertThat(residue(this.namespace)).isEmpty();
	}

	/** Renew as the service does: repeat the renewals that got no response. */
	private Map<Renewal, RenewalOutcome> fates(Process process, List<Renewal> renewals) {
		Map<Renewal, RenewalOutcome> known = new HashMap<>();
		long end = System.nanoTime() + patience().toNanos();
		List<Renewal> due = renewals;
		while (!due.isEmpty() && System.nanoTime() - end < 0) {
			List<RenewalOutcome> outcomes = process.engine.renew(due);
			for (int i = 0; i < due.size(); i++) {
				if (!(outcomes.get(i) instanceof RenewalOutcome.Unknown)) {
					known.put(due.get(i), outcomes.get(i));
				}
			}
			due = due.stream().filter((renewal) -> !known.containsKey(renewal)).toList();
		}
		return known;
	}

	/** Repeat a request until the store responds, since many requests load it. */
	private <T> T responded(Supplier<T> request) {
		long end = System.nanoTime() + patience().toNanos();
		while (true) {
			try {
				return request.get();
			}
			catch (LockEngineException ex) {
				if (System.nanoTime() - end > 0) {
					throw ex;
				}
			}
		}
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
		assertThat(one.engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		Claim next = other.claim(KEY);
		Granted granted = other.granted(next);
		assertThat(one.engine.release(claim)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(other.renew(next, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void waitingClaimIsServedAfterARelease() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY, Duration.ofSeconds(60));
		long number = one.granted(claim).number();
		Claim waiting = other.waiting(KEY);
		Waiter waiter = other.begin(waiting);
		one.engine.release(claim);
		assertThat(waiter.await().number()).isGreaterThan(number);
		assertThat(other.engine.release(waiting)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(residue(this.namespace)).isEmpty();
	}

	@Test
	void releaseBeforeTheSubscriptionIsNotMissed() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY, Duration.ofSeconds(60));
		one.granted(claim);
		Claim waiting = other.waiting(KEY);
		Busy busy = (Busy) other.engine.tryAcquire(waiting);
		one.engine.release(claim);
		Pace released = Pace.begin();
		new Waiter(other, waiting, busy.retryIn()).await();
		tookAtMost(Duration.ZERO, released);
	}

	@Test
	void closedSubscriptionReceivesNoSignal() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY);
		one.granted(claim);
		Claim waiting = other.waiting(KEY);
		Waiter waiter = other.begin(waiting);
		waiter.close();
		one.engine.release(claim);
		other.await(waiting);
		assertThat(waiter.signals).isEmpty();
	}

	@Test
	void abandonedWaitLeavesItsTurnToTheNext() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY, Duration.ofSeconds(60));
		one.granted(claim);
		Claim abandoned = other.claim(KEY, Duration.ofSeconds(60)).waiting();
		Waiter closed = other.begin(abandoned);
		Process next = process();
		Waiter waiter = next.begin(next.waiting(KEY));
		closed.close();
		other.engine.release(abandoned);
		one.engine.release(claim);
		Pace released = Pace.begin();
		waiter.await();
		tookAtMost(Duration.ZERO, released);
	}

	/** I4: a dead waiter delays its successor no longer than a dead holder does. */
	@Test
	void waiterThatDiedDelaysTheNextByItsLeaseAtMost() throws Exception {
		Process one = process();
		Claim claim = one.claim(KEY, Duration.ofSeconds(60));
		one.granted(claim);
		Process dead = process();
		dead.begin(dead.claim(KEY, shortLease()).waiting()).close();
		Process next = process();
		Waiter waiter = next.begin(next.waiting(KEY));
		dead.close();
		one.engine.release(claim);
		Pace released = Pace.begin();
		waiter.await();
		tookAtMost(shortLease(), released);
	}

	@Test
	void abandonedWaitLeavesNothing() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY);
		one.granted(claim);
		Claim waiting = other.waiting(KEY);
		Waiter waiter = other.begin(waiting);
		waiter.close();
		assertThat(other.engine.release(waiting)).isNotInstanceOf(ReleaseOutcome.Released.class);
		one.engine.release(claim);
		assertThat(residue(this.namespace)).isEmpty();
		one.granted(one.claim(KEY));
	}

	@Test
	void claimThatDoesNotWaitLeavesNothingWhenBusy() {
		Process one = process();
		Process other = process();
		Claim claim = one.claim(KEY);
		one.granted(claim);
		other.engine.tryAcquire(other.claim(KEY));
		one.engine.release(claim);
		assertThat(residue(this.namespace)).isEmpty();
	}

	/** Waiters are served in order of arrival if the store has a queue. */
	@Test
	void everyWaitingClaimIsServed() throws Exception {
		Process holder = process();
		Claim held = holder.claim(KEY, Duration.ofSeconds(60));
		holder.granted(held);
		List<Process> others = List.of(process(), process(), process());
		List<Claim> claims = others.stream().map((process) -> process.waiting(KEY)).toList();
		List<Waiter> waiters = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			waiters.add(others.get(i).begin(claims.get(i)));
		}
		Queue<Integer> served = new ConcurrentLinkedQueue<>();
		Queue<Long> numbers = new ConcurrentLinkedQueue<>();
		List<Callable<Void>> waits = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			int index = i;
			waits.add(() -> {
				numbers.add(waiters.get(index).await().number());
				served.add(index);
				others.get(index).engine.release(claims.get(index));
				return null;
			});
		}
		holder.engine.release(held);
		Parallel.run(waits);
		assertThat(List.copyOf(numbers)).isSorted().doesNotHaveDuplicates();
		if (holder.has(Capability.FIFO)) {
			assertThat(served).containsExactly(0, 1, 2);
		}
		else {
			assertThat(served).containsExactlyInAnyOrder(0, 1, 2);
		}
	}

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
		one.granted(new Claim(KEY, one.member.newOwner(), shortLease(), minHold, false, System.nanoTime()));
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
		Claim claim = new Claim(KEY, one.member.newOwner(), Duration.ofSeconds(60), minHold, false, System.nanoTime());
		one.granted(claim);
		assertThat(one.engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
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
		List<Claim> claims = keys.stream().map(one::claim).toList();
		List<Renewal> renewals = claims.stream()
			.map((claim) -> new Renewal(claim, one.granted(claim).number(), claim.lease()))
			.toList();
		keys.forEach((key) -> assertThat(other.engine.tryAcquire(other.claim(key))).as(key.value())
			.isInstanceOf(Busy.class));
		assertThat(one.engine.renew(renewals)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		claims.forEach((claim) -> assertThat(one.engine.release(claim)).as(claim.key().value())
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
		assertThat(process().engine.inspect(new LockKey("b"))).isEmpty();
		Process beside = process();
		assertThat(beside.engine.tryAcquire(beside.claim(KEY))).isInstanceOf(Busy.class);
		one.engine.release(claim);
		beside.granted(beside.claim(KEY));
		assertThat(elsewhere.engine.tryAcquire(elsewhere.claim(KEY))).isInstanceOf(Busy.class);
	}

	@Test
	void operatorsSeeWhoHoldsAKey() {
		Process one = process();
		assertThat(one.engine.inspect(KEY)).isEmpty();
		Claim claim = one.claim(KEY, Duration.ofSeconds(30));
		Granted granted = one.granted(claim);
		Holder holder = process().engine.inspect(KEY).get(0);
		assertThat(holder.application()).isEqualTo("contract");
		assertThat(holder.process()).isEqualTo(ProcessHandle.current().pid());
		assertThat(holder.thread()).isNotBlank();
		assertThat(holder.number()).isEqualTo(granted.number());
		assertThat(holder.since()).isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
		if (holder.remaining() != null) {
			assertThat(holder.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
		}
		one.engine.release(claim);
		assertThat(one.engine.inspect(KEY)).isEmpty();
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
		Holder lost = process().engine.forceRelease(KEY).get(0);
		Pace released = Pace.begin();
		assertThat(lost.number()).isEqualTo(granted.number());
		assertThat(lost.application()).isEqualTo("contract");
		assertThat(waiter.await().number()).isGreaterThan(granted.number());
		tookAtMost(Duration.ZERO, released);
		assertThat(one.renew(claim, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(one.engine.release(claim)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(other.engine.release(waiting)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(residue(this.namespace)).isEmpty();
	}

	@Test
	void forcedReleaseOfAFreeKeyChangesNothing() {
		Process one = process();
		assertThat(one.engine.forceRelease(KEY)).isEmpty();
		long number = one.granted(one.claim(KEY)).number();
		assertThat(one.engine.forceRelease(KEY)).extracting(Holder::number).containsExactly(number);
		assertThat(one.engine.forceRelease(KEY)).isEmpty();
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
					if (responded(() -> racer.engine.tryAcquire(claim)) instanceof Granted) {
						winners.add(i);
					}
				}
				return null;
			});
		}
		Parallel.run(runs);
		assertThat(winners).hasSize(50).doesNotHaveDuplicates();
	}

	Process process() {
		return process(this.namespace);
	}

	private Process process(String inNamespace) {
		Member member = Member.of("contract");
		Process process = new Process(member, connect(inNamespace, member), patience());
		this.processes.add(process);
		return process;
	}

	/** Return the time that the network and an idle machine may add. */
	Duration slack() {
		return SLACK;
	}

	/** Assert that a step took a time, plus at most the slack of the machine. */
	final void took(Duration time, Pace since) {
		Duration elapsed = since.elapsed();
		assertThat(elapsed).isBetween(time.minus(EARLY), time.plus(since.slack(slack())));
	}

	/** Assert that a step took at most a time plus the slack of the machine. */
	final void tookAtMost(Duration time, Pace since) {
		Duration elapsed = since.elapsed();
		assertThat(elapsed).isLessThan(time.plus(since.slack(slack())));
	}

	final ConditionFactory eventually() {
		return Awaitility.await().atMost(patience()).pollInterval(Duration.ofMillis(20));
	}

	/**
	 * A process from the store's point of view.
	 */
	record Process(Member member, LockEngine engine, Duration patience) {

		void close() throws Exception {
			if (this.engine instanceof AutoCloseable closeable) {
				closeable.close();
			}
		}

		boolean has(Capability capability) {
			return this.engine.capabilities().contains(capability);
		}

		Claim claim(LockKey key) {
			return claim(key, Duration.ofSeconds(10));
		}

		Claim claim(LockKey key, Duration lease) {
			return new Claim(key, this.member.newOwner(), lease, Duration.ZERO, false, System.nanoTime());
		}

		Claim waiting(LockKey key) {
			return claim(key).waiting();
		}

		Granted granted(Claim claim) {
			AcquisitionOutcome attempt = this.engine.tryAcquire(claim);
			assertThat(attempt).as(claim.key().value()).isInstanceOf(Granted.class);
			return (Granted) attempt;
		}

		RenewalOutcome renew(Claim claim, Granted granted) {
			return renew(new Renewal(claim, granted.number(), claim.lease()));
		}

		/** Renew as the service does: repeat if there is no response in time. */
		RenewalOutcome renew(Renewal renewal) {
			long end = System.nanoTime() + this.patience.toNanos();
			while (true) {
				List<RenewalOutcome> outcomes = this.engine.renew(List.of(renewal));
				assertThat(outcomes).hasSize(1);
				if (!(outcomes.get(0) instanceof RenewalOutcome.Unknown) || System.nanoTime() - end >= 0) {
					return outcomes.get(0);
				}
			}
		}

		/** Begin to wait for a busy key. */
		Waiter begin(Claim claim) {
			AcquisitionOutcome attempt = this.engine.tryAcquire(claim);
			assertThat(attempt).isInstanceOf(Busy.class);
			return new Waiter(this, claim, ((Busy) attempt).retryIn());
		}

		/** Request the key and wait as the service does. */
		Granted await(Claim claim) {
			AcquisitionOutcome attempt = this.engine.tryAcquire(claim);
			return (attempt instanceof Granted granted) ? granted
					: new Waiter(this, claim, ((Busy) attempt).retryIn()).await();
		}

	}

	/**
	 * A waiting claim: woken by signals, and polling after the interval that the engine
	 * returned.
	 */
	static final class Waiter implements AutoCloseable {

		private final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

		private final Process process;

		private final Claim claim;

		private final Subscription waiting;

		private Duration retryIn;

		Waiter(Process process, Claim claim, Duration retryIn) {
			this.process = process;
			this.claim = claim;
			this.retryIn = retryIn;
			this.waiting = process.engine.subscribe(claim, this.signals::add);
		}

		Granted await() {
			long end = System.nanoTime() + this.process.patience.toNanos();
			try (this) {
				for (long rest = end - System.nanoTime(); rest > 0; rest = end - System.nanoTime()) {
					Signal signal = this.signals.poll(Math.min(this.retryIn.toNanos(), rest), TimeUnit.NANOSECONDS);
					if (signal instanceof Signal.Pushed pushed
							&& pushed.grant().validUntil() - MonotonicClock.SYSTEM.nanoTime() > 0) {
						return pushed.grant();
					}
					if (System.nanoTime() - end >= 0) {
						break;
					}
					AcquisitionOutcome attempt = this.process.engine.tryAcquire(this.claim);
					if (attempt instanceof Granted granted) {
						return granted;
					}
					this.retryIn = ((Busy) attempt).retryIn();
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			throw new AssertionError(
					"Lock '%s' was not granted within %s".formatted(this.claim.key(), this.process.patience));
		}

		@Override
		public void close() {
			this.waiting.close();
		}

	}

}
