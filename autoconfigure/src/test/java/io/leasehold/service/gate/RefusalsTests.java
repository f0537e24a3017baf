package io.leasehold.service.gate;

import java.time.Duration;

import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.service.gate.ManualGate.TestCaller;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static io.leasehold.service.gate.ManualGate.EXCLUSIVE;
import static io.leasehold.service.gate.ManualGate.permits;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What callers read that do not get their lock.
 */
class RefusalsTests {

	private final ManualGate scene = new ManualGate();

	@Test
	void busyCallerReadsHowLongItWaited() {
		RuntimeException busy = timeout(this.scene.caller(EXCLUSIVE), null, null);
		assertThat(busy).isInstanceOf(LockBusyException.class).hasMessageContaining(" 20 ms");
	}

	@Test
	void callerReadsThatTheStoreDidNotRespond() {
		LockEngineException failure = new LockEngineException(this.scene.gate.key(), "no route", null);
		Hold own = this.scene.acquire(EXCLUSIVE);
		assertThat(timeout(this.scene.caller(EXCLUSIVE), failure, own)).isInstanceOf(LockEngineException.class)
			.hasMessageContaining(" 20 ms")
			.hasMessageContaining("no route")
			.hasCause(failure);
	}

	@Test
	void callerReadsHowItReentersItsOwnHold() {
		Hold own = this.scene.acquire(EXCLUSIVE);
		assertThat(timeout(this.scene.caller(EXCLUSIVE), null, own)).isInstanceOf(LockBusyException.class)
			.hasMessageContaining(" 20 ms by 'caller', which holds it already")
			.hasMessageContaining("HeldLockScope.open(handle)");
	}

	@Test
	void callerThatExcludesReentryReadsSo() {
		Hold own = this.scene.acquire(EXCLUSIVE);
		assertThat(timeout(this.scene.caller(EXCLUSIVE.toBuilder().reentrant(false).build()), null, own))
			.hasMessageContaining("set reentrant to true");
	}

	@Test
	void callerThatWaitsForAnotherPermitReadsThatPermitsAreNotReentered() {
		Hold own = this.scene.acquire(permits(1));
		assertThat(timeout(this.scene.caller(permits(1)), null, own))
			.hasMessageContaining("holds a permit of it already")
			.hasMessageContaining("Permits are not re-entered");
		assertThat(timeout(this.scene.caller(EXCLUSIVE), null, own))
			.hasMessageContaining("holds a permit of it already")
			.hasMessageContaining("HeldLockScope.open(handle)");
	}

	@Test
	void callerThatWaitsForAPermitBesideItsLockReadsHowToReenter() {
		Hold own = this.scene.acquire(EXCLUSIVE);
		assertThat(timeout(this.scene.caller(permits(1)), null, own))
			.hasMessageContaining("HeldLockScope.open(handle)");
	}

	private RuntimeException timeout(TestCaller caller, @Nullable LockEngineException failure, @Nullable Hold own) {
		this.scene.clock.advance(Duration.ofMillis(20));
		return Refusals.timeout(caller, "local", this.scene.clock.nanoTime(), failure, own);
	}

}
