package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.test.contract.Terms;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A lock that masters keep for longer than the restart delay would not survive their
 * restart. The delay of these tests is 100 s, and the command timeout 10 s.
 */
class RedlockKeptLocksTests {

	private static final Duration RESTART_DELAY = Duration.ofSeconds(100);

	private final ScriptedMasters masters = new ScriptedMasters(3);

	@ParameterizedTest
	@CsvSource({ "101, 0", "0, 81", "101, 81" })
	void lockThatIsKeptForLongerIsRefusedBeforeAnyRequest(int minHold, int lockDelay) {
		try (RedlockLockEngine engine = engine(RESTART_DELAY)) {
			assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> engine.tryAcquire(claim(minHold, lockDelay)))
				.withMessageContaining(
						"Lock 'k' cannot be acquired on engine 'redlock': its minHold (PT%s) must not exceed "
								+ "leasehold.redlock.restart-delay (PT1M40S)",
						(minHold == 0) ? "0S" : "1M41S")
				.withMessageEndingWith("Increase leasehold.redlock.restart-delay")
				.satisfies((refusal) -> assertThat(refusal.isRetryable()).isFalse());
			assertThat(this.masters.get(0).requests(Scripts.ACQUIRE)).isEmpty();
			assertThat(engine.liveClaims()).isZero();
		}
	}

	@Test
	void lockThatIsKeptForTheWholeDelayIsGrantedForAShorterLease() {
		try (RedlockLockEngine engine = engine(RESTART_DELAY)) {
			engine.checkMasters(); // connects to each of them
			assertThat(engine.tryAcquire(claim(100, 80))).isInstanceOf(Granted.class);
			assertThat(this.masters.get(0).requests(Scripts.ACQUIRE))
				.extracting((request) -> request.arguments().subList(2, 5))
				.as("lease, lock delay and minimum hold")
				.containsExactly(List.of("20000", "80000", "100000"));
		}
	}

	@Test
	void mastersThatLoseNothingKeepALockForAnyTime() {
		try (RedlockLockEngine engine = engine(Duration.ZERO)) {
			assertThat(engine.tryAcquire(claim(101, 81))).isInstanceOf(Granted.class);
		}
	}

	private RedlockLockEngine engine(Duration restartDelay) {
		return this.masters.engine(RedlockOpener.settings("ns", restartDelay, Duration.ofSeconds(10)));
	}

	private Claim claim(int minHold, int lockDelay) {
		Claim claim = this.masters.claim("k");
		return new Claim(claim.key(), claim.owner(), Terms.of(Access.EXCLUSIVE, Duration.ofSeconds(60),
				Duration.ofSeconds(minHold), Duration.ofSeconds(lockDelay)), false, System.nanoTime());
	}

}
