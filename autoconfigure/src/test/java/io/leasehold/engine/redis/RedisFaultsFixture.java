package io.leasehold.engine.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Members of a server behind a network that fails on demand.
 */
abstract class RedisFaultsFixture {

	/** A call is bounded by the command timeout; the rest is for a loaded machine. */
	static final Duration BOUND = RedisEngines.COMMAND_TIMEOUT.plusMillis(700);

	final RedisTestServer server = RedisTestServer.start();

	final FaultProxy network = FaultProxy.to(this.server.port());

	final RedisEngines engines = new RedisEngines(this.server.port());

	/** Reaches the server through the network that fails. */
	final TestMember a = member(this.engines, this.network.port());

	final TestMember b = this.engines.member();

	/** A member that reaches the server through a port. */
	TestMember member(RedisEngines engines, int throughPort) {
		return engines.member(throughPort);
	}

	@AfterEach
	void noClaimIsLeft() throws IOException {
		assertThat(this.a.engine().liveClaims()).isZero();
		assertThat(this.b.engine().liveClaims()).isZero();
		this.engines.close();
		this.network.close();
		this.server.close();
	}

	static void fails(Callable<?> call) {
		Pace start = Pace.begin();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(call::call)
			.matches(LockEngineException::isRetryable);
		assertThat(start.elapsed()).isLessThan(start.slack(BOUND));
	}

	/**
	 * Release as the service does, until there is a response. An earlier request may have
	 * been carried out without one, which leaves nothing to release for the last one.
	 */
	ReleaseOutcome releasedAtLast(Claim claim) {
		return await().ignoreExceptions().until(() -> this.a.engine().release(claim), (outcome) -> true);
	}

	RenewalOutcome renew(Claim claim, long number) {
		return this.a.engine().renew(List.of(new Renewal(claim, number, RedisEngines.LEASE))).get(0);
	}

	static AcquisitionOutcome.Granted granted(TestMember member, Claim claim) {
		AcquisitionOutcome attempt = member.engine().tryAcquire(claim);
		assertThat(attempt).isInstanceOf(AcquisitionOutcome.Granted.class);
		return (AcquisitionOutcome.Granted) attempt;
	}

	String lock() {
		return this.engines.keys("k").lock();
	}

}
