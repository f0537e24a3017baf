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

	private final KeyGate gate = this.scene.gate;

	@Test
	void callerOfAHoldIsTheThreadThatAcquiredItOrRunsUnderIt() {
		Thread thread = Thread.currentThread();
		TestCaller first = this.scene.caller(EXCLUSIVE, thread);
		this.gate.enter(first);
		this.scene.grant();
		Hold held = this.scene.open(first);
		assertThat(this.gate.holdOfCaller(this.scene.caller(EXCLUSIVE, thread))).isSameAs(held);
		assertThat(this.gate.holdOfCaller(this.scene.caller(EXCLUSIVE, new Thread()))).isNull();
		assertThat(this.gate.holdOfCaller(this.scene.caller(EXCLUSIVE))).isNull();
		assertThat(this.gate.holdOfCaller(this.scene.caller(EXCLUSIVE).under(held))).isSameAs(held);
		this.gate.close(held);
		assertThat(this.gate.holdOfCaller(this.scene.caller(EXCLUSIVE, thread).under(held))).isNull();
	}

	@Test
	void holdWithoutThreadIsNotThatOfACallerWithoutThread() {
		this.scene.acquire(EXCLUSIVE);
		assertThat(this.gate.holdOfCaller(this.scene.caller(EXCLUSIVE))).isNull();
	}

	@Test
	void holdThatItsCallerHasNotOpenedIsNotYetThatOfACaller() {
		Thread thread = Thread.currentThread();
		this.gate.enter(this.scene.caller(EXCLUSIVE, thread));
		this.scene.grant();
		assertThat(this.gate.holdOfCaller(this.scene.caller(EXCLUSIVE, thread))).isNull();
	}

	@Test
	void closedHoldIsNotReentered() {
		Hold held = this.scene.acquire(EXCLUSIVE.toBuilder().minHold(Duration.ofSeconds(5)).build());
		this.gate.close(held);
		assertThat(this.gate.enter(this.scene.caller(EXCLUSIVE).under(held))).isEqualTo(KeyGate.Entry.QUEUED);
	}

	@Test
	void callerThatExcludesReentryWaits() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		assertThat(this.gate.enter(this.scene.caller(EXCLUSIVE.toBuilder().reentrant(false).build()).under(held)))
			.isEqualTo(KeyGate.Entry.QUEUED);
	}

	@Test
	void permitIsReenteredAsNoOtherPermitAndByNoReader() {
		Hold held = this.scene.acquire(permits(1));
		assertThat(this.gate.enter(this.scene.caller(permits(1)).under(held))).isEqualTo(KeyGate.Entry.QUEUED);
		TestCaller reader = this.scene.caller(SHARED).under(held);
		assertThat(this.gate.enter(reader)).isEqualTo(KeyGate.Entry.SETTLED);
		assertThat(reader.failure()).isInstanceOf(LockModeException.class)
			.hasMessageContaining("shared")
			.hasMessageContaining("1 permit");
	}

}
