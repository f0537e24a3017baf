package io.leasehold.service.gate;

import java.time.Duration;

import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.service.gate.ManualGate.TestCaller;
import org.junit.jupiter.api.Test;

import static io.leasehold.service.gate.ManualGate.EXCLUSIVE;
import static io.leasehold.service.gate.ManualGate.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Parked grants that must not be entered, also between two steps of their end.
 */
class LingeringGateTests {

	private static final LockOptions OPTIONS = EXCLUSIVE.toBuilder().linger(LEASE).build();

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final ManualGate scene = new ManualGate(OPTIONS);

	private final KeyGate gate = this.scene.gate;

	/** Another caller comes after the loss was noticed, before the grant is returned. */
	@Test
	void parkedGrantThatIsNoLongerInForceIsNotEntered() {
		Hold parked = park();
		Decision decision = this.scene.lose(parked, LossCause.NOT_OWNER);
		assertThat(decision.loss()).isNull();
		assertThat(decision.freed()).isSameAs(parked);
		TestCaller caller = this.scene.queued(OPTIONS);
		assertThat(caller.hasEnded()).isFalse();
	}

	/** Nobody else wants the key. */
	@Test
	void callerThatDoesNotWaitGetsTheKeyWhileAParkedGrantIsReturned() {
		Hold parked = park();
		assertThat(this.gate.keepingEnded(parked.grant).freed()).isSameAs(parked);
		TestCaller caller = this.scene.queued(ManualGate.brief(OPTIONS));
		assertThat(this.scene.released(Duration.ZERO).requested()).isSameAs(this.scene.claim());
		this.scene.grant();
		assertThat(caller.hold()).isNotNull();
		assertThat(this.scene.enter(this.scene.caller(ManualGate.brief(OPTIONS)))).isEqualTo(ManualGate.Entry.BUSY);
	}

	/** Only a gate for callers with a linger time can process recalls of its claim. */
	@Test
	void gateForCallersWithoutALingerTimeDoesNotAskForALingeringGrant() {
		ManualGate plain = new ManualGate();
		Hold held = plain.acquire(EXCLUSIVE);
		plain.gate.rules.affinity.requested(plain.gate.key(), LEASE, plain.clock.nanoTime());
		plain.queued(OPTIONS);
		plain.leaveWithoutPass(held);
		plain.released(Duration.ZERO);
		assertThat(plain.claim().claim().lingers()).isFalse();
	}

	@Test
	void parkedGrantIsEntered() {
		Hold parked = park();
		TestCaller caller = this.scene.caller(OPTIONS);
		assertThat(this.scene.enter(caller)).isEqualTo(ManualGate.Entry.SETTLED);
		assertThat(caller.hold().grant).isSameAs(parked.grant);
	}

	@Test
	void closedHoldWithAMovedMinimumHoldIsLeftAtItsEnd() {
		Hold held = open();
		held.extend(LEASE, SECOND, this.scene.clock.nanoTime());
		Decision closed = this.scene.leave(held);
		assertThat(closed.leaving()).isSameAs(held);
		assertThat(closed.renewed()).as("the store learns that it does not linger").isSameAs(held);
		this.scene.clock.advance(SECOND);
		assertThat(this.gate.keepingEnded(held.grant).freed()).isSameAs(held);
	}

	private Hold park() {
		Hold held = open();
		assertThat(this.scene.leave(held).parked()).isSameAs(held.grant);
		return held;
	}

	private Hold open() {
		// A grant lingers from the second request of its key on
		this.gate.rules.affinity.requested(this.gate.key(), LEASE, this.scene.clock.nanoTime());
		TestCaller caller = this.scene.first(OPTIONS);
		Granted granted = this.scene.granted(LEASE);
		this.scene.response(new Granted(granted.number(), granted.validUntil(), Granted.RESERVED));
		return this.scene.open(caller);
	}

}
