package io.leasehold.service.gate;

import java.time.Duration;

import io.leasehold.LockModeException;
import io.leasehold.service.gate.ManualGate.TestCaller;
import org.junit.jupiter.api.Test;

import static io.leasehold.service.gate.ManualGate.EXCLUSIVE;
import static io.leasehold.service.gate.ManualGate.SHARED;
import static io.leasehold.service.gate.ManualGate.permits;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which holds are those of a caller, and which of them it re-enters.
 */
class WaiterTests {

	private final ManualGate scene = new ManualGate();

	@Test
	void callerOfAHoldIsTheThreadThatAcquiredItOrRunsUnderIt() {
		Thread thread = Thread.currentThread();
		TestCaller first = this.scene.caller(EXCLUSIVE, thread);
		this.scene.enter(first);
		this.scene.grant();
		Hold held = this.scene.open(first);
		assertThat(waitsForItself(this.scene.caller(EXCLUSIVE, new Thread()))).isFalse();
		assertThat(waitsForItself(this.scene.caller(EXCLUSIVE))).isFalse();
		assertThat(waitsForItself(this.scene.caller(EXCLUSIVE, thread))).isTrue();
		assertThat(waitsForItself(this.scene.caller(EXCLUSIVE).under(held))).isTrue();
		this.scene.close(held);
		assertThat(waitsForItself(this.scene.caller(EXCLUSIVE, thread).under(held))).isFalse();
	}

	/** Return whether the gate says that a busy caller holds the key itself. */
	private boolean waitsForItself(TestCaller caller) {
		RuntimeException reason = this.scene.timeout(caller);
		return reason != null && reason.getMessage().contains("holds it already");
	}

	@Test
	void holdWithoutThreadIsNotThatOfACallerWithoutThread() {
		this.scene.acquire(EXCLUSIVE);
		assertThat(waitsForItself(this.scene.caller(EXCLUSIVE))).isFalse();
	}

	@Test
	void holdThatItsCallerHasNotOpenedIsNotYetThatOfACaller() {
		Thread thread = Thread.currentThread();
		this.scene.enter(this.scene.caller(EXCLUSIVE, thread));
		this.scene.grant();
		assertThat(waitsForItself(this.scene.caller(EXCLUSIVE, thread))).isFalse();
	}

	@Test
	void closedHoldIsNotReentered() {
		Hold held = this.scene.acquire(EXCLUSIVE.toBuilder().minHold(Duration.ofSeconds(5)).build());
		this.scene.close(held);
		assertThat(this.scene.enter(this.scene.caller(EXCLUSIVE).under(held))).isEqualTo(ManualGate.Entry.QUEUED);
	}

	@Test
	void callerThatExcludesReentryWaits() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		assertThat(this.scene.enter(this.scene.caller(EXCLUSIVE.toBuilder().reentrant(false).build()).under(held)))
			.isEqualTo(ManualGate.Entry.QUEUED);
	}

	@Test
	void permitIsReenteredAsNoOtherPermitAndByNoReader() {
		Hold held = this.scene.acquire(permits(1));
		assertThat(this.scene.enter(this.scene.caller(permits(1)).under(held))).isEqualTo(ManualGate.Entry.QUEUED);
		TestCaller reader = this.scene.caller(SHARED).under(held);
		assertThat(this.scene.enter(reader)).isEqualTo(ManualGate.Entry.SETTLED);
		assertThat(reader.failure()).isInstanceOf(LockModeException.class)
			.hasMessageContaining("shared")
			.hasMessageContaining("1 permit");
	}

}
