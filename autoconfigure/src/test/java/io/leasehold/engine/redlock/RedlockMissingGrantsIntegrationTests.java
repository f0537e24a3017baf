package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.leasehold.LockMode;
import io.leasehold.LockTerms;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome.NotOwner;
import io.leasehold.engine.RenewalOutcome.Renewed;
import io.leasehold.engine.redlock.RedlockCluster.Process;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

/**
 * Locks that one of three masters does not know: it was not available when they were
 * granted, or it lost its data.
 */
@Tag("full")
class RedlockMissingGrantsIntegrationTests {

	@AutoClose
	private static final RedlockTestMasters MASTERS = RedlockTestMasters.start(3);

	@AutoClose
	private final RedlockCluster cluster = new RedlockCluster(MASTERS);

	private final Process process = this.cluster.process(3);

	@Fault(27)
	@Test
	void lockOfABareMajoritySurvivesTheRestartOfAMasterOfIt() {
		Claim claim = this.process.claim("k");
		Granted granted = grantedWithout(2, claim);
		renewUntilComplete(this.process, claim, granted);
		MASTERS.server(0).restartEmpty();
		renewUntilComplete(this.process, claim, granted);
		MASTERS.server(1).restartEmpty();
		renewUntilComplete(this.process, claim, granted);
		Process other = this.cluster.process(3);
		assertThat(other.tryAcquire("k")).isInstanceOf(Busy.class);
		assertThat(other.engine().inspect(claim.key())).extracting(Holder::number).containsExactly(granted.number());
		assertThat(this.process.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		nothingIsLeft();
		assertThat(other.number("k")).isGreaterThan(granted.number());
	}

	/** A master gets the grant again when it counts, not earlier. */
	@Fault(27)
	@Test
	void lockSurvivesARollingRestartOfAllMasters() {
		Duration restartDelay = Duration.ofSeconds(8);
		Process holder = this.cluster.process(3, restartDelay);
		await().ignoreExceptions().until(() -> holder.number("counts") > 0);
		Claim claim = holder.claim("k", restartDelay);
		Granted granted = holder.granted(claim);
		for (int i = 0; i < 3; i++) {
			long stopped = System.nanoTime();
			MASTERS.server(i).restartEmpty();
			renewUntilComplete(holder, claim, granted);
			assertThat(System.nanoTime() - stopped).isGreaterThan(restartDelay.minusSeconds(1).toNanos());
		}
		assertThat(this.process.tryAcquire("k")).isInstanceOf(Busy.class);
		assertThat(holder.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		nothingIsLeft();
	}

	@Test
	void addedGrantIsTheSameAsTheOthers() {
		Claim claim = new Claim(this.process.claim("k").key(), this.process.member().newOwner(), RedlockCluster.LONG,
				Duration.ofSeconds(20), false, System.nanoTime());
		Granted granted = grantedWithout(2, claim);
		renewUntilComplete(this.process, claim, granted);
		Grant original = grant(0, claim);
		Grant added = grant(2, claim);
		assertThat(added.access()).isEqualTo(original.access());
		assertThat(added.number()).isEqualTo(granted.number());
		assertThat(added.granted()).isCloseTo(original.granted(), within(10_000L));
		assertThat(added.min()).isEqualTo(added.granted() + 20_000);
		assertThat(added.kept()).isEqualTo(added.lease());
		assertThat(added.round()).isEqualTo(original.round());
		assertThat(MASTERS.operator(2).get(this.cluster.names("k").number())).isEqualTo(granted.number() + "");
		this.process.engine().release(claim);
		assertThat(this.cluster.holding("k")).isEqualTo(3);
		assertThat(grant(2, claim).lease()).isZero();
		assertThat(grant(2, claim).kept()).isEqualTo(added.min());
	}

	@Test
	void lockDelayFollowsTheLeaseOfAnAddedGrant() {
		Claim plain = this.process.claim("k");
		LockTerms terms = new LockTerms(LockMode.EXCLUSIVE, 0, RedlockCluster.LONG, Duration.ZERO,
				Duration.ofSeconds(7));
		Claim claim = new Claim(plain.key(), plain.owner(), terms, false, plain.since());
		renewUntilComplete(this.process, claim, grantedWithout(2, claim));
		assertThat(grant(2, claim).kept()).isEqualTo(grant(2, claim).lease() + 7000);
		assertThat(grant(2, claim).min()).isZero();
	}

	/** Another claim may hold the lock there, without a majority. */
	@Test
	void grantIsNotAddedBesideAnother() {
		Claim claim = this.process.claim("k");
		Granted granted = grantedWithout(2, claim);
		String lock = this.cluster.names("k").lock();
		MASTERS.operator(2).hset(lock, "another@claim", grant(0, claim).toString());
		assertThat(renewWithAllMasters(claim, granted)).isInstanceOf(Renewed.class);
		assertThat(renewWithAllMasters(claim, granted)).isInstanceOf(Renewed.class);
		assertThat(MASTERS.operator(2).hkeys(lock)).containsExactly("another@claim");
		MASTERS.operator(2).hdel(lock, "another@claim");
		renewUntilComplete(this.process, claim, granted);
	}

	/** They delay new claims, but a grant that is added is not new. */
	@Test
	void marksOfWaitingClaimsStay() {
		Claim claim = this.process.claim("k");
		Granted granted = grantedWithout(2, claim);
		long ending = System.currentTimeMillis() + 60_000;
		Map<String, String> marks = Map.of("turn", "s %d another".formatted(ending), "waiter",
				"%d %s".formatted(ending, this.process.member().id()));
		MASTERS.operator(2).hset(this.cluster.names("k").lock(), marks);
		await().until(() -> this.process.renew(claim, granted) instanceof Renewed
				&& MASTERS.operator(2).hexists(this.cluster.names("k").lock(), claim.owner().token()));
		assertThat(MASTERS.operator(2).hgetall(this.cluster.names("k").lock())).containsAllEntriesOf(marks);
	}

	/** The request is on a connection that breaks, and arrives after the release. */
	@Fault(10)
	@Test
	void requestToAddAGrantThatArrivesAfterItsReleaseAddsNothing() {
		loadScripts();
		Claim claim = this.process.claim("k");
		Granted granted = grantedWithout(2, claim);
		connect();
		AtomicInteger requests = new AtomicInteger();
		CountDownLatch late = new CountDownLatch(1);
		this.process.network().get(2).requests().beforeEach(() -> {
			if (requests.incrementAndGet() == 2) {
				await().atMost(RedlockCluster.LONG).until(() -> late.getCount() == 0);
			}
		});
		assertThat(this.process.renew(claim, granted)).isInstanceOf(Renewed.class);
		await().until(() -> requests.get() == 2);
		this.process.network().get(2).reset();
		assertThat(this.process.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		String marker = this.cluster.names("k").of(claim.owner().token())[2];
		await().until(() -> MASTERS.operator(2).exists(marker) == 1);
		long before = MASTERS.scripts(2);
		late.countDown();
		await().until(() -> MASTERS.scripts(2) > before);
		assertThat(this.cluster.holding("k")).isZero();
	}

	/**
	 * The release is sent before the last response to the renewal arrives, and gets its
	 * own response later.
	 */
	@Test
	void grantIsNotAddedAfterItsRelease() {
		loadScripts();
		Claim claim = this.process.claim("k");
		Granted granted = grantedWithout(2, claim);
		connect();
		CompletableFuture<ReleaseOutcome> released = new CompletableFuture<>();
		CountDownLatch renewed = new CountDownLatch(1);
		CountDownLatch others = new CountDownLatch(2);
		IntStream.of(1, 2).forEach((i) -> this.process.network().get(i).replies().beforeEach(others::countDown));
		AtomicInteger responses = new AtomicInteger();
		this.process.network().get(0).replies().beforeEach(() -> {
			if (responses.getAndIncrement() == 0) {
				await().until(() -> others.getCount() == 0);
				released.completeAsync(() -> this.process.engine().release(claim));
				await().pollInterval(Duration.ofMillis(1)).until(() -> this.cluster.holding("k") == 0);
			}
			else {
				await().until(() -> renewed.getCount() == 0);
			}
		});
		this.process.renew(claim, granted);
		renewed.countDown();
		await().until(released::isDone);
		connect(); // after all requests that were sent
		assertThat(this.cluster.holding("k")).isZero();
	}

	/**
	 * Let a master run the scripts once, so that it knows them later.
	 */
	private void loadScripts() {
		Claim claim = this.process.claim("first");
		renewUntilComplete(this.process, claim, grantedWithout(2, claim));
		this.process.engine().release(claim);
	}

	/** The first master has executed the release, and the renewal precedes the second. */
	@Fault(95)
	@Test
	void renewalDoesNotRestoreALockThatIsReleasedByForce() {
		Claim claim = this.process.claim("k");
		Granted granted = this.process.granted(claim);
		connect();
		Process operator = this.cluster.process(3);
		operator.cut(2);
		operator.network().get(1).requests().hold();
		CompletableFuture<?> forced = CompletableFuture.supplyAsync(() -> operator.engine().forceRelease(claim.key()))
			.exceptionally((late) -> List.of());
		await().until(() -> this.cluster.holding("k") == 2);
		assertThat(renewWithAllMasters(claim, granted)).isInstanceOf(Renewed.class);
		assertThat(this.cluster.holding("k")).isEqualTo(2);
		operator.network().get(1).requests().open();
		await().until(() -> this.cluster.holding("k") == 1);
		assertThat(this.process.renew(claim, granted)).isInstanceOf(NotOwner.class);
		forced.join();
	}

	/** Acquire a lock while a master is not available. */
	private Granted grantedWithout(int master, Claim claim) {
		this.process.cut(master);
		Granted granted = this.process.granted(claim);
		this.process.heal(master);
		assertThat(this.cluster.holding(claim.key().value())).isEqualTo(2);
		return granted;
	}

	/** Renew a lock until all masters know it. */
	private void renewUntilComplete(Process holder, Claim claim, Granted granted) {
		await().until(() -> {
			assertThat(holder.renew(claim, granted)).isNotInstanceOf(NotOwner.class);
			return this.cluster.holding(claim.key().value()) == 3;
		});
	}

	private Object renewWithAllMasters(Claim claim, Granted granted) {
		connect();
		Object outcome = this.process.renew(claim, granted);
		connect();
		return outcome;
	}

	/** Send requests until all masters respond. */
	private void connect() {
		await().ignoreExceptions().until(() -> {
			Claim claim = this.process.claim("connected");
			this.process.granted(claim);
			boolean all = this.cluster.holding("connected") == 3;
			this.process.engine().release(claim);
			return all;
		});
	}

	/** The marker of a request that may have been in flight expires. */
	private void nothingIsLeft() {
		assertThat(MASTERS.residue(this.cluster.namespace())).allMatch((name) -> name.contains(":ended:"));
	}

	private Grant grant(int master, Claim claim) {
		return Grant.parse(MASTERS.operator(master).hget(this.cluster.names("k").lock(), claim.owner().token()));
	}

	/** Grant of a claim in the record of a lock. */
	private record Grant(String access, long number, long granted, long lease, long kept, long min, long round) {

		static Grant parse(String entry) {
			List<String> words = List.of(entry.split(" "));
			long[] numbers = IntStream.range(1, 7).mapToLong((i) -> Long.parseLong(words.get(i))).toArray();
			return new Grant(words.get(0), numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
		}

		@Override
		public String toString() {
			return String.join(" ", this.access, this.number + "", this.granted + "", this.lease + "", this.kept + "",
					this.min + "", this.round + "");
		}

	}

}
