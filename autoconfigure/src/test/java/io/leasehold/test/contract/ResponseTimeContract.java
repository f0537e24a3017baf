package io.leasehold.test.contract;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.EngineContractFixture.Waiter;
import io.leasehold.test.contract.EngineContractFixture.Process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract of every engine for the time between a request and its response: a lease
 * counts from the request. The clock of the tests moves whenever the store responds.
 */
@Timeout(600)
public abstract class ResponseTimeContract {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration LEASE = Duration.ofSeconds(10);

	/**
	 * Several late responses leave a part of the lease: a response may come in parts, and
	 * some are to other requests.
	 */
	private static final Duration LATE = LEASE.dividedBy(10);

	private final MovingClock clock = new MovingClock();

	private final String namespace = "responses-" + UUID.randomUUID();

	private Process process;

	/**
	 * Connect to the store.
	 * @param namespace namespace of the test
	 * @param member the process that connects
	 * @param clock the clock by which the engine counts leases.
	 * {@link MovingClock#responded()} has to be called for each response of the store
	 * before the engine receives it, such as by a proxy between both
	 * @return a connected engine, which is closed at the end of the test if it is
	 * closeable. Its store has to grant leases of ten seconds
	 */
	protected abstract LockEngine connect(String namespace, Member member, MovingClock clock);

	/**
	 * Return a lease that the store also grants to a waiting claim.
	 * @return three seconds
	 */
	protected Duration handedLease() {
		return Duration.ofSeconds(3);
	}

	@BeforeEach
	void connect() {
		Member member = Member.of("contract");
		this.process = new Process(member, connect(this.namespace, member, this.clock), Duration.ofSeconds(20));
		Claim first = this.process.claim(new LockKey("first"), LEASE);
		this.process.granted(first);
		this.process.engine().release(first);
	}

	@AfterEach
	void disconnect() throws Exception {
		this.clock.eachResponseTakes(Duration.ZERO);
		this.process.close();
	}

	/** This applies to a new key, a key that was used before, and a repeated request. */
	@Fault(140)
	@Test
	void grantIsValidFromItsRequestOn() {
		this.clock.eachResponseTakes(LATE);
		Claim first = this.process.claim(KEY, LEASE);
		assertThat(validFor(this.process.granted(first))).isLessThanOrEqualTo(withoutLateResponse());
		assertThat(validFor(this.process.granted(first))).isLessThanOrEqualTo(withoutLateResponse());
		this.process.engine().release(first);
		assertThat(validFor(this.process.granted(this.process.claim(KEY, LEASE))))
			.isLessThanOrEqualTo(withoutLateResponse());
	}

	@Fault(140)
	@Test
	void renewalIsValidFromItsRequestOn() {
		Claim claim = this.process.claim(KEY, LEASE);
		Granted granted = this.process.granted(claim);
		this.process.renew(claim, granted); // the first one may be sent differently
		this.clock.eachResponseTakes(LATE);
		assertThat(this.process.renew(claim, granted)).isInstanceOfSatisfying(RenewalOutcome.Renewed.class,
				(renewed) -> assertThat(validFor(renewed.validUntil())).isLessThanOrEqualTo(withoutLateResponse()));
	}

	/** The clock moves only while the store responds that the key is busy. */
	@Fault(140)
	@Test
	void grantOfAWaitingClaimIsValidFromItsLastRequestOn() {
		Duration lease = handedLease();
		Claim holder = this.process.claim(KEY, LEASE);
		this.process.granted(holder);
		Duration response = lease.dividedBy(4);
		this.clock.eachResponseTakes(response);
		Claim waiting = Claims.waiting(this.process.claim(KEY, lease));
		try (Waiter waiter = this.process.begin(waiting)) {
			long latest = this.clock.nanoTime() - response.toNanos() + believed(lease);
			this.clock.eachResponseTakes(Duration.ZERO);
			this.process.engine().release(holder);
			this.clock.eachResponseTakes(response);
			Granted granted = waiter.await();
			boolean fromAPoll = validFor(granted) <= believed(lease) - response.toNanos();
			assertThat(fromAPoll || granted.validUntil() - latest <= 0).isTrue();
		}
	}

	/**
	 * The service releases a grant that arrived too late, and requests the key again.
	 */
	@Fault(141)
	@Test
	void grantThatComesAfterItsLeaseIsNotHandedOut() throws Exception {
		Counter engine = new Counter(this.process.engine());
		try (LockService service = service(engine)) {
			this.clock.eachResponseTakes(LEASE.multipliedBy(2));
			CompletableFuture<HeldLock> held = service.acquireAsync(KEY.value());
			eventually().until(() -> engine.attempts.get() > 2);
			assertThat(held).isNotDone();
			this.clock.eachResponseTakes(Duration.ZERO);
			HeldLock lock = held.get(1, TimeUnit.MINUTES);
			assertThat(lock.isValid()).isTrue();
			assertThat(lock.remaining().toNanos()).isPositive().isLessThanOrEqualTo(believed(LEASE));
			assertThat(engine.inspect(KEY)).hasSize(1);
			lock.close();
			eventually().until(() -> engine.inspect(KEY).isEmpty());
			assertThat(engine.released).hasValueGreaterThan(1);
		}
	}

	@Fault(141)
	@Test
	void renewalThatComesAfterTheLeaseDoesNotReviveIt() {
		try (LockService service = service(this.process.engine())) {
			HeldLock held = service.acquire(KEY.value());
			this.clock.eachResponseTakes(LEASE);
			eventually().until(() -> !held.isValid());
			this.clock.eachResponseTakes(Duration.ZERO);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
				.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.EXPIRED));
		}
	}

	/** Responses without a validity are correct however late they arrive. */
	@Fault(142)
	@Test
	void lateResponsesToOtherRequestsAreRight() {
		Duration lease = Duration.ofDays(1);
		this.clock.eachResponseTakes(LEASE.multipliedBy(2));
		Claim released = this.process.claim(KEY, lease);
		long number = this.process.granted(released).number();
		assertThat(this.process.engine().inspect(KEY)).singleElement()
			.satisfies((holder) -> assertThat(holder.number()).isEqualTo(number));
		assertThat(this.process.engine().release(released)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(this.process.engine().inspect(KEY)).isEmpty();
		Claim forced = this.process.claim(KEY, lease);
		Granted granted = this.process.granted(forced);
		assertThat(granted.number()).isGreaterThan(number);
		assertThat(this.process.engine().forceRelease(KEY)).hasSize(1);
		assertThat(this.process.renew(forced, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.process.granted(this.process.claim(KEY, lease)).number()).isGreaterThan(granted.number());
	}

	private LockService service(LockEngine engine) {
		LockOptions defaults = new LockOptions("contract", engine.name(), LEASE, Duration.ofDays(1), Duration.ZERO,
				LockOptions.UNLIMITED);
		return new LockService(TestSettings.of(defaults), List.of(new ShortLeases(engine)), this.process.member(),
				this.clock, List.of(), ReleaseTiming.IMMEDIATE);
	}

	private long validFor(Granted granted) {
		return validFor(granted.validUntil());
	}

	private long validFor(long validUntil) {
		return validUntil - this.clock.nanoTime();
	}

	private static long believed(Duration lease) {
		return lease.toNanos() / 100 * 99;
	}

	/** Return the remaining validity of a lease after a late response. */
	private static long withoutLateResponse() {
		return believed(LEASE) - LATE.toNanos();
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(5));
	}

	/** Counts attempts that have returned, and releases. */
	private static final class Counter extends DelegatingEngine {

		private final AtomicInteger attempts = new AtomicInteger();

		private final AtomicInteger released = new AtomicInteger();

		Counter(LockEngine engine) {
			super(engine);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			try {
				return super.tryAcquire(claim);
			}
			finally {
				this.attempts.incrementAndGet();
			}
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			this.released.incrementAndGet();
			return super.release(claim);
		}

	}

}
