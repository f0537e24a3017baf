package io.leasehold.engine.support;

import java.time.Duration;
import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link OpenState}. The contract of engines tests the failures of requests.
 */
class OpenStateTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration LEASE = Duration.ofSeconds(10);

	private final OpenState state = new OpenState("redis");

	@Test
	void failureOfAnOpenEngineIsThatOfItsRequest() {
		LockEngineException failure = new LockEngineException(KEY, "no response", null);
		this.state.check(KEY);
		assertThat(this.state.isClosed()).isFalse();
		assertThat(this.state.reason(KEY, failure)).isSameAs(failure);
	}

	@Test
	void requestThatFailsBecauseTheEngineIsClosedIsNotRepeated() {
		LockEngineException failure = new LockEngineException(KEY, "no connection", null);
		this.state.close();
		assertThat(this.state.isClosed()).isTrue();
		assertThat(this.state.reason(KEY, failure))
			.hasMessage("Lock 'order:42' is unavailable: engine 'redis' is closed")
			.hasCause(failure)
			.matches((reason) -> !reason.isRetryable());
	}

	@Test
	void eachRenewalOfAClosedEngineNamesItsLock() {
		Claim one = new Claim(KEY, Member.of("test").newOwner(), LEASE, Duration.ZERO, false, 0);
		Claim other = new Claim(new LockKey("b"), Member.of("test").newOwner(), LEASE, Duration.ZERO, false, 0);
		assertThat(this.state.unknown(List.of(new Renewal(one, 1, LEASE), new Renewal(other, 1, LEASE))))
			.extracting((outcome) -> ((RenewalOutcome.Unknown) outcome).cause().getMessage())
			.containsExactly("Lock 'order:42' is unavailable: engine 'redis' is closed",
					"Lock 'b' is unavailable: engine 'redis' is closed");
	}

	@Test
	void requestForNoSingleLockNamesTheEngine() {
		this.state.close();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.state.check(null))
			.withMessage("Engine 'redis' is closed")
			.matches((failure) -> !failure.isRetryable() && failure.getKey() == null);
	}

}
