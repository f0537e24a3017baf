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

	private final ManualGate scene = new ManualGate(OPTIONS);

	private final KeyGate gate = this.scene.gate;

	/** Another caller comes after the loss was noticed, before the grant is returned. */
	@Test
	void parkedGrantThatIsNoLongerInForceIsNotEntered() {
		Hold parked = park();
		assertThat(this.gate.lose(parked, LossCause.NOT_OWNER)).isNull();
		TestCaller caller = this.scene.queued(OPTIONS);
		assertThat(caller.hasEnded()).isFalse();
		assertThat(this.gate.unpark(null)).isSameAs(parked);
	}

	/** Nobody else wants the key. */
	@Test
	void callerThatDoesNotWaitGetsTheKeyWhileAParkedGrantIsReturned() {
		Hold parked = park();
		assertThat(this.gate.unpark(parked.grant)).isSameAs(parked);
		TestCaller caller = this.scene.queued(ManualGate.brief(OPTIONS));
		assertThat(this.gate.released(Duration.ZERO).requested()).isSameAs(this.scene.claim());
		this.scene.grant();
		assertThat(caller.hold()).isNotNull();
		assertThat(this.gate.enter(this.scene.caller(ManualGate.brief(OPTIONS)))).isEqualTo(KeyGate.Entry.BUSY);
	}

	/** Only a gate for callers with a linger time can process recalls of its claim. */
	@Test
	void gateForCallersWithoutALingerTimeDoesNotAskForALingeringGrant() {
		ManualGate plain = new ManualGate();
		Hold held = plain.acquire(EXCLUSIVE);
		plain.gate.rules.affinity.requested(plain.gate.key(), LEASE, plain.clock.nanoTime());
		plain.queued(OPTIONS);
		plain.gate.close(held);
		plain.gate.leave(held, false, plain.clock.nanoTime());
		plain.gate.released(Duration.ZERO);
		assertThat(plain.claim().claim().lingers()).isFalse();
	}

	@Test
	void parkedGrantIsEntered() {
		Hold parked = park();
		TestCaller caller = this.scene.caller(OPTIONS);
		assertThat(this.gate.enter(caller)).isEqualTo(KeyGate.Entry.ENTERED);
		assertThat(caller.hold().grant).isSameAs(parked.grant);
	}

	private Hold park() {
		// A grant lingers from the second request of its key on
		this.gate.rules.affinity.requested(this.gate.key(), LEASE, this.scene.clock.nanoTime());
		TestCaller caller = this.scene.first(OPTIONS);
		Granted granted = this.scene.granted(LEASE);
		this.scene.response(new Granted(granted.number(), granted.validUntil(), Granted.RESERVED));
		assertThat(this.scene.leave(this.scene.open(caller))).isSameAs(Action.PARKED);
		return this.gate.parked();
	}

}
