package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestServer;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two members on the shared server.
 */
abstract class RedisLockEngineFixture {

	/** Nothing ends by its lease within a test. */
	static final Duration LONG = Duration.ofMinutes(2);

	final RedisEngines engines = RedisEngines.patient(RedisTestServer.shared().port());

	final TestMember a = this.engines.member();

	final TestMember b = this.engines.member();

	final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

	@AfterEach
	void noClaimIsLeft() {
		assertThat(this.a.engine().liveClaims()).isZero();
		assertThat(this.b.engine().liveClaims()).isZero();
		assertThat(this.engines.residue()).isEmpty();
		this.engines.close();
	}

	Claim waits(TestMember member, String key) {
		Claim claim = member.waiting(key);
		busy(member, claim);
		member.engine().subscribe(claim, this.signals::add);
		return claim;
	}

	static AcquisitionOutcome.Granted granted(TestMember member, Claim claim) {
		AcquisitionOutcome attempt = member.engine().tryAcquire(claim);
		assertThat(attempt).isInstanceOf(AcquisitionOutcome.Granted.class);
		return (AcquisitionOutcome.Granted) attempt;
	}

	static AcquisitionOutcome.Busy busy(TestMember member, Claim claim) {
		AcquisitionOutcome attempt = member.engine().tryAcquire(claim);
		assertThat(attempt).isInstanceOf(AcquisitionOutcome.Busy.class);
		return (AcquisitionOutcome.Busy) attempt;
	}

	static void released(TestMember member, Claim claim) {
		assertThat(member.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	static RenewalOutcome renew(TestMember member, Claim claim, long number, Duration lease) {
		return member.engine().renew(List.of(new Renewal(claim, number, lease))).get(0);
	}

	AcquisitionOutcome.Granted pushed() throws InterruptedException {
		Signal signal = this.signals.poll(1, TimeUnit.MINUTES);
		assertThat(signal).isInstanceOf(Signal.Pushed.class);
		return ((Signal.Pushed) signal).grant();
	}

	long leaseLeft(String key) {
		return this.engines.server().pttl(this.engines.keys(key).lock());
	}

}
