package io.leasehold.engine.cas;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.Member;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Tests for the state that {@link CasLockEngine} keeps in its process.
 */
class CasLockEngineTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final RenewalOutcome DONE = new RenewalOutcome.NotOwner();

	private final ManualClock clock = new ManualClock();

	private final Member member = Member.of("test");

	private final Connection connection = new Connection(new MemoryStore(this.clock));

	private final CasLockEngine engine = new CasLockEngine("test", this.connection, CasSettings.of("test"), this.clock);

	@Test
	void pollsGrowWithTheTimeSinceTheClaimBegan() {
		this.clock.advance(Duration.ofHours(1));
		granted(claim());
		Claim waiting = Claims.waiting(claim());
		assertThat(retryIn(waiting)).isEqualTo(Duration.ofMillis(20));
		this.clock.advance(Duration.ofMillis(400));
		assertThat(retryIn(waiting)).isBetween(Duration.ofMillis(150), Duration.ofMillis(200));
	}

	@Test
	void requestWithoutAResponseIsRememberedUntilARenewalOrTheRelease() {
		Claim claim = claim();
		this.connection.losesResponses = true;
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.tryAcquire(claim));
		assertThat(this.engine.ownersWithoutResponse()).isOne();
		this.connection.losesResponses = false;
		Granted granted = granted(claim);
		assertThat(renew(claim, granted.number() + 1)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.engine.ownersWithoutResponse()).as("another grant").isOne();
		assertThat(renew(claim, granted.number())).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.engine.ownersWithoutResponse()).isZero();
		this.connection.losesResponses = true;
		assertThat(renew(claim, granted.number())).isInstanceOf(RenewalOutcome.Unknown.class);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.release(claim));
		assertThat(this.engine.ownersWithoutResponse()).isOne();
		this.connection.losesResponses = false;
		this.engine.release(claim);
		assertThat(this.engine.ownersWithoutResponse()).isZero();
	}

	@Test
	void storeIsClosedWithTheEngine() {
		this.engine.close();
		assertThat(this.connection.closed).isTrue();
		CasLockEngine withoutResources = new CasLockEngine("test", new MemoryStore(this.clock), CasSettings.of("test"),
				this.clock);
		assertThatNoException().isThrownBy(withoutResources::close);
	}

	/** A thread for each four renewals, at most three, in addition to the caller's. */
	@ParameterizedTest
	@CsvSource({ "3,0", "4,1", "7,1", "8,2", "12,3", "100,3" })
	void threadsThatShareRenewals(int renewals, int threads) {
		Set<Thread> sharing = ConcurrentHashMap.newKeySet();
		CountDownLatch all = new CountDownLatch(threads + 1);
		List<Renewal> equal = Collections.nCopies(renewals, new Renewal(claim(), 1, LEASE));
		try (Renewer shared = new Renewer("test")) {
			assertThat(shared.renew(equal, (one) -> "", (one) -> {
				if (sharing.add(Thread.currentThread())) {
					all.countDown();
				}
				awaitUninterruptibly(all);
				return DONE;
			})).hasSize(renewals).containsOnly(DONE);
			assertThat(sharing).hasSize(threads + 1);
		}
	}

	@Fault(185)
	@Test
	void momentWithoutAThreadDoesNotDelayRenewals() {
		List<Renewal> twenty = Collections.nCopies(20, new Renewal(claim(), 1, LEASE));
		AtomicInteger parts = new AtomicInteger();
		try (Renewer alone = new Renewer((task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		})) {
			assertThat(alone.renew(twenty, (one) -> "part " + parts.getAndIncrement() % 2, (one) -> DONE)).hasSize(20)
				.containsOnly(DONE);
		}
	}

	/** The caller waits for the outcomes of its helpers, and would never return. */
	@Test
	void errorInAThreadThatHelpsIsAnUnknownOutcome() {
		String name = UUID.randomUUID().toString();
		AtomicBoolean fails = new AtomicBoolean(true);
		CountDownLatch failed = new CountDownLatch(1);
		List<Renewal> eight = Collections.nCopies(8, new Renewal(claim(), 1, LEASE));
		try (Renewer shared = new Renewer(name)) {
			List<RenewalOutcome> outcomes = assertTimeoutPreemptively(Duration.ofMinutes(1),
					() -> shared.renew(eight, (one) -> "", (one) -> {
						if (!Thread.currentThread().getName().startsWith("leasehold-%s-renewal-".formatted(name))) {
							awaitUninterruptibly(failed);
						}
						else if (fails.getAndSet(false)) {
							failed.countDown();
							throw new OutOfMemoryError("unable to create native thread");
						}
						return DONE;
					}));
			assertThat(outcomes).hasSize(8)
				.filteredOn((outcome) -> outcome != DONE)
				.singleElement()
				.isInstanceOfSatisfying(RenewalOutcome.Unknown.class,
						(unknown) -> assertThat(unknown.cause()).hasCauseInstanceOf(OutOfMemoryError.class));
		}
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Duration retryIn(Claim claim) {
		return ((Busy) this.engine.tryAcquire(claim)).retryIn();
	}

	private Granted granted(Claim claim) {
		assertThat(this.engine.tryAcquire(claim)).isInstanceOf(Granted.class);
		return (Granted) this.engine.tryAcquire(claim);
	}

	private RenewalOutcome renew(Claim claim, long number) {
		return this.engine.renew(List.of(new Renewal(claim, number, LEASE))).get(0);
	}

	private Claim claim() {
		return new Claim(new LockKey("order:42"), this.member.newOwner(), LEASE, Duration.ZERO, false,
				this.clock.nanoTime());
	}

	/** A connection that loses responses to writes, and has to be closed. */
	private static final class Connection extends MemoryStore.Connection implements AutoCloseable {

		private boolean losesResponses;

		private boolean closed;

		Connection(CompareAndSetStore store) {
			super(store);
		}

		@Override
		boolean writing(String key, MemoryStore.Request<Boolean> request) throws Exception {
			boolean written = request.send();
			if (this.losesResponses) {
				throw new IOException("no response in time");
			}
			return written;
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

}
