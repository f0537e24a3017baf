package io.leasehold.engine.cas;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.Member;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Terms;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes on a store in memory, whose clocks the test advances.
 */
abstract class CasProtocolFixture {

	static final LockKey KEY = new LockKey("order:42");

	static final String ENTRY = "test:order:42";

	static final Duration LEASE = Duration.ofSeconds(10);

	static final Duration LEASE_AND_PERCENT = Duration.ofMillis(10_101);

	static final Duration NONE = Duration.ZERO;

	final ManualClock storeClock = new ManualClock();

	final MemoryStore store = new MemoryStore(this.storeClock);

	long wallClock = 1_000_000;

	/** Process whose clock stands still, and whose connection goes wrong on demand. */
	final class Process extends MemoryStore.Connection {

		final Member member = Member.of("test");

		final ManualClock clock = new ManualClock();

		final CasLockEngine engine;

		final Queue<MemoryStore.Request<Boolean>> late = new ArrayDeque<>();

		Duration responseTakes = NONE;

		boolean delays;

		boolean losesResponses;

		@Nullable String fails;

		Process() {
			this(CasLockEngineContractTests.settings("test"));
		}

		Process(CasSettings settings) {
			super(CasProtocolFixture.this.store);
			this.engine = new CasLockEngine("test", this, settings, this.clock,
					() -> CasProtocolFixture.this.wallClock);
		}

		Claim claim() {
			return claim(Access.EXCLUSIVE, NONE, false);
		}

		Claim claim(Access access, Duration minHold, boolean waits) {
			return claim(KEY, access, minHold, waits);
		}

		Claim claim(LockKey key, Access access, Duration minHold, boolean waits) {
			return new Claim(key, this.member.newOwner(), Terms.of(access, LEASE, minHold, NONE), waits,
					this.clock.nanoTime());
		}

		AcquisitionOutcome request() {
			return request(Access.EXCLUSIVE);
		}

		AcquisitionOutcome request(Access access) {
			return request(claim(access, NONE, false));
		}

		AcquisitionOutcome request(Claim claim) {
			return this.engine.tryAcquire(claim);
		}

		Granted granted(Claim claim) {
			AcquisitionOutcome outcome = request(claim);
			assertThat(outcome).isInstanceOf(Granted.class);
			return (Granted) outcome;
		}

		RenewalOutcome renew(Claim claim, Granted granted) {
			return this.engine.renew(List.of(new Renewal(claim, granted.number(), claim.lease()))).get(0);
		}

		@Override
		@Nullable Entry reading(String key, MemoryStore.Request<@Nullable Entry> request) throws Exception {
			if (key.equals(this.fails)) {
				throw new IOException("unreachable");
			}
			Entry entry = request.send();
			this.clock.advance(this.responseTakes);
			return entry;
		}

		@Override
		boolean writing(String key, MemoryStore.Request<Boolean> request) throws Exception {
			if (this.delays) {
				this.late.add(request);
				throw new IOException("no response in time");
			}
			boolean written = request.send();
			this.clock.advance(this.responseTakes);
			if (this.losesResponses) {
				throw new IOException("no response in time");
			}
			return written;
		}

	}

}
