package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockTerms;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.EtcdTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Limits of a server. Without space (alarm NOSPACE), it rejects writes and new leases,
 * but keeps leases alive and removes keys.
 */
@Tag("full")
class EtcdLimitsIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(60);

	private static final long ACTIVATE = 1;

	private static final long DEACTIVATE = 2;

	private static final long NO_SPACE = 1;

	@AutoClose
	private final EtcdTestServer server = EtcdTestServer.start("max-txn-ops=8");

	private final EtcdEngines engines = new EtcdEngines();

	/** By which the engine's clock is ahead. */
	private final AtomicLong passed = new AtomicLong();

	private final EtcdLockEngine engine = this.engines.engine(Duration.ofMinutes(2),
			() -> System.nanoTime() + this.passed.get(), this.server.url());

	/** Its lease ends with its minimum hold, so later renewals need another one. */
	private final Claim job = this.engines.claim(new LockKey("job"),
			new LockTerms(LEASE, LEASE.plus(LEASE.dividedBy(2))));

	private final Granted grantOfTheJob = EtcdEngines.granted(this.engine, this.job);

	@AfterEach
	void close() throws Exception {
		alarm(DEACTIVATE);
		this.engines.close();
	}

	@Test
	void lockThatNeedsAnotherLeaseFailsTheRenewalOfNoOther() {
		Claim plain = this.engines.claim(new LockKey("plain"));
		Granted granted = EtcdEngines.granted(this.engine, plain);
		alarm(ACTIVATE);
		this.passed.set(LEASE.multipliedBy(2).dividedBy(3).toNanos());
		Renewal ofTheJob = new Renewal(this.job, this.grantOfTheJob.number(), LEASE);
		List<RenewalOutcome> outcomes = this.engine
			.renew(List.of(ofTheJob, new Renewal(plain, granted.number(), LEASE)));
		assertThat(outcomes).element(0)
			.isInstanceOfSatisfying(RenewalOutcome.Unknown.class,
					(outcome) -> assertThat(outcome.cause()).hasMessageContaining("space exceeded"));
		assertThat(outcomes).element(1).isInstanceOf(RenewalOutcome.Renewed.class);
		alarm(DEACTIVATE);
		assertThat(this.engine.renew(List.of(ofTheJob))).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
	}

	@Test
	void keyThatCannotBeClosedKeepsNoOther() {
		IntStream.range(0, 20)
			.mapToObj((i) -> this.engines.claim(new LockKey("plain-" + i)))
			.forEach((claim) -> EtcdEngines.granted(this.engine, claim));
		alarm(ACTIVATE);
		this.passed.set(LEASE.plusSeconds(1).toNanos());
		EtcdOperator operator = new EtcdOperator(this.server.url());
		EtcdEngines.eventually()
			.untilAsserted(() -> assertThat(operator.residue(this.engines.namespace)).singleElement()
				.asString()
				.contains("/job/"));
	}

	@Test
	void acquisitionIsRejectedAndRepeated() {
		alarm(ACTIVATE);
		Claim claim = this.engines.claim(new LockKey("other"));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.tryAcquire(claim))
			.withMessageContaining("space exceeded")
			.matches(LockEngineException::isRetryable);
		alarm(DEACTIVATE);
		EtcdEngines.granted(this.engine, claim);
	}

	@Test
	void renewalOfMoreLocksThanATransactionMayReadNamesTheReason() {
		List<Renewal> due = IntStream.range(0, 8)
			.mapToObj((i) -> this.engines.claim(new LockKey("plain-" + i)))
			.map((claim) -> new Renewal(claim, EtcdEngines.granted(this.engine, claim).number(), LEASE))
			.toList();
		assertThat(this.engine.renew(due))
			.allSatisfy((outcome) -> assertThat(outcome).isInstanceOfSatisfying(RenewalOutcome.Unknown.class,
					(unknown) -> assertThat(unknown.cause()).hasMessageContaining("too many operations")
						.hasMessageNotContaining("password")));
		assertThat(this.engine.renew(due.subList(1, 8))).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
	}

	private void alarm(long action) {
		long member = EtcdOperator.member(EtcdOperator.status(this.server.url()));
		EtcdOperator.send(this.server.url(), Rpc.unary("Maintenance/Alarm"),
				Message.of(1, action).with(2, member).with(3, NO_SPACE));
	}

}
