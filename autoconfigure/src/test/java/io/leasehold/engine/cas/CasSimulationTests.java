package io.leasehold.engine.cas;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Terms;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes whose clocks drift contend for a key of a store that loses responses, delays
 * writes, shows old entries and forgets the time. Each repetition is one history, which
 * its number determines, but for the pauses after conflicts.
 */
class CasSimulationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final int STEPS = 3000;

	private static final int HISTORIES = 12;

	private final AtomicLong time = new AtomicLong(1_000_000_000);

	private final MemoryStore store = new MemoryStore(this.time::get);

	private final List<Runnable> delayed = new ArrayList<>();

	private final List<CompareAndSetStore.Entry> old = new ArrayList<>();

	private final List<Process> processes = new ArrayList<>();

	private Random random;

	/** Greatest number of a grant that was released. */
	private long ended;

	private int grants;

	private int takeovers;

	@RepeatedTest(HISTORIES)
	void holdsDoNotOverlapAndNumbersGrow(RepetitionInfo repetition) {
		run(repetition.getCurrentRepetition());
	}

	/** In an interrupted thread, in which the pauses after conflicts end at once. */
	private void run(int seed) {
		Thread.currentThread().interrupt();
		try {
			simulate(seed);
		}
		finally {
			Thread.interrupted();
		}
	}

	private void simulate(int seed) {
		this.random = new Random(seed);
		for (int i = 0; i < 5; i++) {
			this.processes.add(new Process(i));
		}
		for (int step = 0; step < STEPS; step++) {
			pass(this.random.nextInt(1500));
			act(0);
			this.processes.forEach(Process::check);
		}
		assertThat(this.grants).isGreaterThan(100);
		assertThat(this.takeovers).isPositive();
	}

	/** Run the first histories, for tests that add a bug. */
	static void histories() {
		for (int seed = 1; seed <= 3; seed++) {
			new CasSimulationTests().run(seed);
		}
	}

	private void pass(long millis) {
		this.time.addAndGet(Duration.ofMillis(millis).toNanos());
		while (!this.delayed.isEmpty() && this.random.nextInt(3) == 0) {
			this.delayed.remove(this.random.nextInt(this.delayed.size())).run();
		}
	}

	/**
	 * One process does what it does next, while the requests of others may be on the way.
	 */
	private void act(int depth) {
		List<Process> free = this.processes.stream().filter((process) -> !process.busy).toList();
		if (!free.isEmpty()) {
			free.get(this.random.nextInt(free.size())).act(depth);
		}
	}

	/**
	 * Process with an engine, and a clock that is up to a percent too slow or too fast.
	 */
	private final class Process extends MemoryStore.Connection {

		private final Member member = Member.of("simulation");

		private final double rate;

		private final MonotonicClock clock;

		private final CasLockEngine engine;

		private boolean busy;

		private int depth;

		private @Nullable Claim claim;

		private AcquisitionOutcome.@Nullable Granted granted;

		private boolean dead;

		private long endedBefore;

		Process(int index) {
			super(CasSimulationTests.this.store);
			this.rate = 0.9901 + index * 0.0049;
			this.clock = () -> (long) (CasSimulationTests.this.time.get() * this.rate);
			this.engine = new CasLockEngine("simulation", this, CasLockEngineContractTests.settings("test"), this.clock,
					() -> CasSimulationTests.this.time.get() / 1000);
		}

		boolean isValid() {
			AcquisitionOutcome.Granted grant = this.granted;
			return grant != null && grant.validUntil() - this.clock.nanoTime() > 0;
		}

		Access access() {
			return this.claim.access();
		}

		void act(int depth) {
			this.busy = true;
			this.depth = depth;
			try {
				Claim present = this.claim;
				if (present == null) {
					acquire();
				}
				else if (this.granted == null) {
					if (CasSimulationTests.this.random.nextInt(3) == 0) {
						release(present);
					}
					else {
						request(present);
					}
				}
				else {
					hold(present, this.granted);
				}
			}
			catch (LockEngineException ex) {
				// tried again
			}
			finally {
				this.busy = false;
			}
		}

		private void acquire() {
			Access access = switch (CasSimulationTests.this.random.nextInt(3)) {
				case 0 -> Access.SHARED;
				case 1 -> Access.permits(2);
				default -> Access.EXCLUSIVE;
			};
			Claim created = new Claim(KEY, this.member.newOwner(),
					Terms.of(access, LEASE, Duration.ZERO, Duration.ZERO), CasSimulationTests.this.random.nextBoolean(),
					this.clock.nanoTime());
			this.claim = created;
			this.endedBefore = CasSimulationTests.this.ended;
			this.dead = CasSimulationTests.this.random.nextInt(4) == 0;
			request(created);
		}

		private void request(Claim present) {
			AcquisitionOutcome outcome = this.engine.tryAcquire(present);
			if (outcome instanceof AcquisitionOutcome.Granted grant) {
				CasSimulationTests.this.grants++;
				assertThat(grant.number()).isGreaterThan(this.endedBefore);
				this.granted = grant;
			}
		}

		private void hold(Claim present, AcquisitionOutcome.Granted grant) {
			if (this.dead) {
				if (!isValid()) {
					CasSimulationTests.this.takeovers++;
					end(); // without a release, as a process that was killed
				}
			}
			else if (!isValid() || CasSimulationTests.this.random.nextInt(4) == 0) {
				release(present);
			}
			else {
				RenewalOutcome outcome = this.engine.renew(List.of(new Renewal(present, grant.number(), LEASE))).get(0);
				if (outcome instanceof RenewalOutcome.Renewed renewed) {
					this.granted = new AcquisitionOutcome.Granted(grant.number(), renewed.validUntil());
				}
				else if (outcome instanceof RenewalOutcome.NotOwner && CasSimulationTests.this.old.isEmpty()) {
					assertThat(isValid()).as("lost without an old entry").isFalse();
				}
			}
		}

		private void release(Claim present) {
			AcquisitionOutcome.Granted grant = this.granted;
			this.granted = null;
			ReleaseOutcome outcome = this.engine.release(present);
			if (grant != null && outcome instanceof ReleaseOutcome.Released) {
				CasSimulationTests.this.ended = Math.max(CasSimulationTests.this.ended, grant.number());
			}
			end();
		}

		private void end() {
			this.claim = null;
			this.granted = null;
		}

		/** Assert that the processes whose locks are valid may hold them concurrently. */
		void check() {
			if (!isValid()) {
				return;
			}
			List<Process> others = CasSimulationTests.this.processes.stream()
				.filter((other) -> other != this && other.isValid())
				.toList();
			assertThat(others).allSatisfy((other) -> assertThat(access()).isEqualTo(other.access()));
			assertThat(others.size()).isLessThan(access().limit());
		}

		@Override
		@Nullable Entry reading(String key, MemoryStore.Request<@Nullable Entry> request) throws Exception {
			travel();
			Entry entry = request.send();
			if (entry != null) {
				CasSimulationTests.this.old.add(entry);
			}
			travel();
			List<Entry> seen = CasSimulationTests.this.old;
			boolean stale = seen.size() > 3 && CasSimulationTests.this.random.nextInt(20) == 0;
			return stale ? seen.get(seen.size() - 1 - CasSimulationTests.this.random.nextInt(3)) : entry;
		}

		@Override
		boolean writing(String key, MemoryStore.Request<Boolean> request) throws Exception {
			travel();
			switch (CasSimulationTests.this.random.nextInt(12)) {
				case 0 -> throw new IOException("request lost");
				case 1 -> {
					CasSimulationTests.this.delayed.add(() -> send(request));
					throw new IOException("request delayed");
				}
				case 2 -> {
					send(request);
					throw new IOException("response lost");
				}
				default -> {
					boolean written = request.send();
					travel();
					return written;
				}
			}
		}

		private void send(MemoryStore.Request<Boolean> request) {
			try {
				request.send();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		/** Time passes, and others act. */
		private void travel() {
			pass(CasSimulationTests.this.random.nextInt(100) == 0 ? 9000 : CasSimulationTests.this.random.nextInt(50));
			if (this.depth < 2 && CasSimulationTests.this.random.nextInt(4) == 0) {
				CasSimulationTests.this.act(this.depth + 1);
				CasSimulationTests.this.processes.forEach(Process::check);
			}
		}

	}

}
