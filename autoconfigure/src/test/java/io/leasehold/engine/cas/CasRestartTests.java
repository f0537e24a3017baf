package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link CasLockEngine} on a store that is restarted empty before any one of its
 * requests, numbers its versions from the beginning, and compares values. After the
 * restart, another process acquires the lock, and writes its entry until the store has
 * counted as many writes as before.
 */
class CasRestartTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration LEASE = Duration.ofMinutes(5);

	private static final Member MEMBER = Member.of("restart");

	@Fault(188)
	@Test
	void ownerAfterTheRestartKeepsItsLockWhicheverRequestFollows() {
		int restarts = 0;
		for (Run run = new Run(1); run.isRestarted(); run = new Run(restarts + 1)) {
			restarts++;
		}
		assertThat(restarts).as("requests of an acquisition, two renewals and a release").isGreaterThanOrEqualTo(8);
	}

	/**
	 * One process acquires, renews and releases the lock, on a connection that restarts
	 * the store.
	 */
	private static final class Run extends MemoryStore.Connection {

		private final MemoryStore store;

		private final CasLockEngine next;

		private final Claim nextClaim = claim();

		private int requestsLeft;

		private @Nullable Granted nextGrant;

		private Run(int restartBefore) {
			this(restartBefore, new MemoryStore(MonotonicClock.SYSTEM));
		}

		private Run(int restartBefore, MemoryStore store) {
			super(store);
			this.store = store;
			this.requestsLeft = restartBefore;
			this.next = engine(store);
			CasLockEngine former = engine(this);
			Claim claim = claim();
			if (former.tryAcquire(claim) instanceof Granted granted) {
				List<Renewal> renewal = List.of(new Renewal(claim, granted.number(), LEASE));
				former.renew(renewal);
				former.renew(renewal);
			}
			former.release(claim);
			if (this.nextGrant != null) {
				assertThat(renewNext(this.nextGrant)).as("restart before request %d", restartBefore)
					.isInstanceOf(RenewalOutcome.Renewed.class);
				this.next.release(this.nextClaim);
			}
			assertThat(store.residue("")).isEmpty();
		}

		private static CasLockEngine engine(CompareAndSetStore store) {
			return new CasLockEngine("restart", store, CasSettings.of("restart"), MonotonicClock.SYSTEM);
		}

		private static Claim claim() {
			return new Claim(KEY, MEMBER.newOwner(), LEASE, Duration.ZERO, false, System.nanoTime());
		}

		private RenewalOutcome renewNext(Granted granted) {
			return this.next.renew(List.of(new Renewal(this.nextClaim, granted.number(), LEASE))).get(0);
		}

		private boolean isRestarted() {
			return this.requestsLeft <= 0;
		}

		@Override
		@Nullable Entry reading(String key, MemoryStore.Request<@Nullable Entry> request) throws Exception {
			restartIfDue();
			Entry entry = request.send();
			return (entry != null) ? new Entry(entry.value()) : null;
		}

		@Override
		public boolean replace(String key, Entry expected, String value, Duration timeToLive) throws Exception {
			restartIfDue();
			Entry present = this.store.read(key);
			return present != null && present.value().equals(expected.value())
					&& this.store.replace(key, present, value, timeToLive);
		}

		@Override
		public boolean create(String key, String value, Duration timeToLive) {
			restartIfDue();
			return this.store.create(key, value, timeToLive);
		}

		private void restartIfDue() {
			if (--this.requestsLeft == 0) {
				long writes = this.store.writes();
				this.store.restart();
				AcquisitionOutcome outcome = this.next.tryAcquire(this.nextClaim);
				assertThat(outcome).isInstanceOf(Granted.class);
				this.nextGrant = (Granted) outcome;
				while (this.store.writes() < writes) {
					renewNext(this.nextGrant);
				}
			}
		}

	}

}
