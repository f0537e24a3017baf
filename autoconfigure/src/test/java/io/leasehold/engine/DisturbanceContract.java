package io.leasehold.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.server.FaultProxy;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.TestSettings;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store that is disturbed at run time while one process holds locks and another one
 * attempts to acquire them: who owns them, how many requests are sent while it lasts, and
 * what is left afterwards.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class DisturbanceContract {

	private static final int LOCKS = 5;

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final Duration WHILE = Duration.ofSeconds(1);

	private static final int FEW = 60;

	private final List<LockService> services = new ArrayList<>();

	private String namespace = "";

	private Process disturbed;

	private Process other;

	/** Return the disturbances of the store, each named after what happens. */
	protected abstract Stream<Disturbance> disturbances();

	/** Return the networks between the disturbed process and its servers. */
	protected abstract List<FaultProxy> networks();

	/**
	 * Open an engine.
	 * @param disturbed whether the process uses the networks and the changed account
	 */
	protected abstract LockEngine open(String namespace, Member member, boolean disturbed);

	/** Remove all data of a namespace from the store. */
	protected abstract void empty(String namespace) throws Exception;

	/** Return what is left of claims in a namespace. */
	protected abstract Collection<String> residue(String namespace) throws Exception;

	@BeforeEach
	void openEngines() {
		this.namespace = "disturbed-" + UUID.randomUUID();
		this.disturbed = process(true);
		this.other = process(false);
	}

	@AfterEach
	void closeEngines() throws Exception {
		this.services.forEach(LockService::close);
		this.services.clear();
		for (Process process : List.of(this.disturbed, this.other)) {
			((AutoCloseable) process.engine).close();
		}
		this.networks().forEach((network) -> network.requests().beforeEach(() -> {
		}));
	}

	private Process process(boolean isDisturbed) {
		Member member = Member.of("test");
		return new Process(member, open(this.namespace, member, isDisturbed));
	}

	@Fault(182)
	@ParameterizedTest(name = "{0}")
	@MethodSource("disturbances")
	void disturbanceLetsNobodyInSendsFewRequestsAndLeavesNothing(Disturbance disturbance) throws Exception {
		LockService holder = service(this.disturbed);
		LockOptions once = holder.defaults().toBuilder().waitTime(Duration.ZERO).build();
		List<HeldLock> held = IntStream.range(0, LOCKS).mapToObj((i) -> holder.acquire("held-" + i)).toList();
		AtomicInteger requests = new AtomicInteger();
		networks().forEach((network) -> network.requests().beforeEach(requests::incrementAndGet));
		disturbance.begin.run(this.namespace);
		try {
			IntStream.range(0, disturbance.calls).forEach((i) -> uses(holder, "key-" + i, once));
			awaitSettled();
			if (disturbance.loses) {
				eventually().until(() -> held.stream().noneMatch(HeldLock::isValid));
			}
			assertFewRequests(requests, held);
		}
		finally {
			disturbance.end.run(this.namespace);
		}
		held.forEach(DisturbanceContract::closeQuietly);
		LockService next = service(this.other);
		held.forEach((lock) -> eventually().until(() -> uses(next, lock.key(), once)));
		eventually().until(() -> uses(holder, "afterwards", once));
		eventually().untilAsserted(() -> assertThat(residue(this.namespace)).isEmpty());
	}

	/** The retries take longer on a busy machine, but must not be many all the time. */
	private void assertFewRequests(AtomicInteger requests, List<HeldLock> held) {
		requests.set(0);
		long begin = System.nanoTime();
		eventually().alias("few requests within a second").until(() -> {
			int before = requests.get();
			assertNoOverlap(held);
			return requests.get() - before < FEW;
		});
		long windows = (System.nanoTime() - begin) / WHILE.toNanos();
		assertThat(requests.get()).as("requests within %d seconds", windows).isLessThan(FEW * (5 + 2 * (int) windows));
	}

	/** A failed release is retried a few times at once. */
	private static void awaitSettled() {
		Awaitility.await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
	}

	/** Another process attempts to acquire the locks for a while. */
	private void assertNoOverlap(List<HeldLock> held) {
		long end = System.nanoTime() + WHILE.toNanos();
		while (System.nanoTime() - end < 0) {
			for (HeldLock lock : held) {
				Claim claim = this.other.claim(lock.key());
				if (this.other.granted(claim) != null) {
					assertThat(lock.isValid()).as("two owners of %s", lock.key()).isFalse();
				}
				this.other.engine.release(claim);
			}
			LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
		}
	}

	/** The next owner acquires the lock before the request that follows. */
	@Fault(182)
	@Test
	void ownerAfterTheStoreWasEmptiedKeepsItsLockWhicheverRequestFollows() {
		int owners = 0;
		for (int before = 1, sent = before; before <= sent; before++) {
			Emptying emptying = new Emptying(before);
			networks().forEach((network) -> network.requests().beforeEach(emptying::beforeRequest));
			Claim former = this.disturbed.claim("order:42");
			Granted granted = this.disturbed.granted(former);
			if (granted != null) {
				this.disturbed.renews(former, granted);
				this.disturbed.renews(former, granted);
			}
			eventually().until(() -> this.disturbed.releases(former));
			sent = emptying.end();
			if (emptying.granted != null) {
				owners++;
				assertThat(this.other.renews(emptying.next, emptying.granted))
					.as("owner after the store was emptied before request %d", before)
					.isTrue();
			}
			eventually().until(() -> this.other.releases(emptying.next));
			eventually().untilAsserted(() -> assertThat(residue(this.namespace)).isEmpty());
		}
		assertThat(owners).as("requests of an acquisition, two renewals and a release").isGreaterThanOrEqualTo(4);
	}

	private LockService service(Process process) {
		LockOptions defaults = new LockOptions("test", process.engine.name(), LEASE, Duration.ofSeconds(30),
				Duration.ZERO, LockOptions.UNLIMITED);
		LockService service = new LockService(TestSettings.of(defaults), List.of(process.engine), process.member,
				MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);
		this.services.add(service);
		return service;
	}

	private static boolean uses(LockService service, String key, LockOptions once) {
		try {
			service.acquire(key, once).close();
			return true;
		}
		catch (LockException ex) {
			assertThat(ex).hasMessageContaining(key);
			return false;
		}
	}

	private static void closeQuietly(HeldLock lock) {
		try {
			lock.close();
		}
		catch (LockLostException | LockEngineException ex) {
			assertThat(ex).hasMessageContaining(lock.key());
		}
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofSeconds(40)).pollDelay(Duration.ZERO);
	}

	/** Step of a disturbance. */
	@FunctionalInterface
	public interface Step {

		void run(String namespace) throws Exception;

	}

	/**
	 * Disturbance of a store.
	 *
	 * @param loses whether the locks are lost
	 * @param calls how many calls of the disturbed process are made while it lasts; few
	 * if each one waits for its timeout
	 */
	public record Disturbance(String name, boolean loses, int calls, Step begin, Step end) {

		@Override
		public String toString() {
			return this.name;
		}

	}

	/** Empties the store before one request of the former owner. */
	private final class Emptying {

		private final AtomicInteger sent = new AtomicInteger();

		private boolean ended;

		private final Claim next = DisturbanceContract.this.other.claim("order:42");

		private final int before;

		private Granted granted;

		private Emptying(int before) {
			this.before = before;
		}

		/**
		 * Wait until the next owner has acquired; the engine does not wait for each
		 * request.
		 */
		private synchronized int end() {
			this.ended = true;
			return this.sent.get();
		}

		private void beforeRequest() {
			if (this.sent.incrementAndGet() == this.before) {
				emptyAndAcquire();
			}
		}

		private synchronized void emptyAndAcquire() {
			if (!this.ended) {
				try {
					empty(DisturbanceContract.this.namespace);
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
				this.granted = DisturbanceContract.this.other.granted(this.next);
			}
		}

	}

	/**
	 * A process.
	 */
	private record Process(Member member, LockEngine engine) {

		private Claim claim(String key) {
			return new Claim(new LockKey(key), this.member.newOwner(), Duration.ofMinutes(1), Duration.ZERO, false,
					System.nanoTime());
		}

		/** Return the grant, or null if the lock is busy or unavailable. */
		private Granted granted(Claim claim) {
			try {
				return (this.engine.tryAcquire(claim) instanceof Granted granted) ? granted : null;
			}
			catch (LockEngineException ex) {
				return null;
			}
		}

		private boolean renews(Claim claim, Granted granted) {
			return this.engine.renew(List.of(new Renewal(claim, granted.number(), claim.lease())))
				.get(0) instanceof RenewalOutcome.Renewed;
		}

		/** Return whether a release had a response. */
		private boolean releases(Claim claim) {
			try {
				this.engine.release(claim);
				return true;
			}
			catch (LockEngineException ex) {
				assertThat(ex).hasMessageContaining(claim.key().value());
				return false;
			}
		}

	}

}
