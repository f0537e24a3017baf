package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Subscription;
import io.leasehold.server.EtcdNetwork;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link EtcdLockEngine} at a member that is cut off from its leader, or was the leader
 * itself. The other two members have a quorum.
 */
@Tag("full")
class EtcdPartitionIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration LONG = Duration.ofMinutes(30);

	private final EtcdEngines engines = new EtcdEngines();

	private final EtcdNetwork network = this.engines.open(new EtcdNetwork());

	private List<EtcdTestServer> members;

	@BeforeEach
	void startCluster() {
		this.members = EtcdTestServer.cluster(3, this.network);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
		this.members.forEach(EtcdTestServer::close);
	}

	/** A member without a leader ends the watch, which is opened at another member. */
	@Fault(160)
	@Test
	void watchOfASessionLeavesAMemberWithoutALeader() throws Exception {
		EtcdTestServer cutOff = EtcdOperator.awaitMember(this.members, false);
		EtcdLockEngine engine = engine(LONG, url(cutOff), url(other(cutOff)));
		Claim claim = this.engines.claim(KEY, Access.EXCLUSIVE, LONG);
		EtcdEngines.granted(engine, claim);
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(url(cutOff)) == 1);
		isolate(cutOff);
		EtcdOperator operator = new EtcdOperator(url(other(cutOff)));
		operator.revoke(operator.read(this.engines.keys.claims(KEY)).get(0).lease());
		EtcdEngines.eventually().until(() -> engine.inDoubt(claim));
	}

	/** The release happens at another member, so the watch cannot report it. */
	@Fault(160)
	@Test
	void waiterAtAMemberWithoutALeaderIsServedByAnother() throws Exception {
		EtcdTestServer cutOff = EtcdOperator.awaitMember(this.members, false);
		EtcdLockEngine engine = engine(LONG, url(cutOff), url(other(cutOff)));
		EtcdLockEngine elsewhere = engine(LONG, url(other(cutOff)));
		Claim holder = this.engines.claim(KEY);
		EtcdEngines.granted(elsewhere, holder);
		Claim waiting = Claims.waiting(this.engines.claim(KEY));
		assertThat(engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		AtomicInteger signals = new AtomicInteger();
		this.engines.open(engine.subscribe(waiting, (signal) -> signals.incrementAndGet()));
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(url(cutOff)) == 2);
		isolate(cutOff);
		elsewhere.release(holder);
		EtcdEngines.eventually().until(() -> signals.get() > 0);
		EtcdEngines.granted(engine, waiting);
	}

	/** The former leader extends the session for a while, which proves nothing. */
	@Fault({ 152, 160 })
	@Test
	void holderAtAFormerLeaderLosesItsLockBeforeItIsFree() throws Exception {
		EtcdTestServer cutOff = EtcdOperator.awaitMember(this.members, true);
		EtcdLockEngine engine = engine(Duration.ofSeconds(8), url(cutOff));
		EtcdLockEngine elsewhere = engine(LONG, url(other(cutOff)));
		HeldLock held = this.engines.service(engine).acquire(KEY.value());
		isolate(cutOff);
		Claim next = this.engines.claim(KEY);
		EtcdEngines.eventually().ignoreExceptions().until(() -> elsewhere.tryAcquire(next) instanceof Granted);
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> engine.tryAcquire(this.engines.claim(new LockKey("another"))))
			.matches(LockEngineException::isRetryable);
		this.network.heal();
		EtcdEngines.eventually()
			.ignoreExceptions()
			.until(() -> engine.tryAcquire(this.engines.claim(KEY)) instanceof Busy);
	}

	/** It neither ends the watch nor sends its messages. */
	@Fault(160)
	@Test
	void watchOfASessionLeavesAFrozenMember() throws Exception {
		EtcdTestServer frozen = EtcdOperator.awaitMember(this.members, false);
		EtcdLockEngine engine = engine(LONG, url(frozen), url(other(frozen)));
		Claim claim = this.engines.claim(KEY, Access.EXCLUSIVE, LONG);
		Granted granted = EtcdEngines.granted(engine, claim);
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(url(frozen)) == 1);
		frozen.signal("STOP");
		EtcdEngines.eventually()
			.until(() -> EtcdEngines.renew(engine, claim, granted) instanceof RenewalOutcome.Renewed);
		EtcdOperator operator = new EtcdOperator(url(other(frozen)));
		operator.revoke(operator.read(this.engines.keys.claims(KEY)).get(0).lease());
		EtcdEngines.eventually().until(() -> engine.inDoubt(claim));
		frozen.signal("CONT");
	}

	private EtcdLockEngine engine(Duration session, String... urls) {
		return this.engines.engine(session, MonotonicClock.SYSTEM, urls);
	}

	private void isolate(EtcdTestServer member) throws Exception {
		this.network.isolate(member, Long.toHexString(EtcdOperator.member(EtcdOperator.status(url(member)))));
	}

	private EtcdTestServer other(EtcdTestServer than) {
		return this.members.stream().filter((member) -> member != than).findFirst().orElseThrow();
	}

	private static String url(EtcdTestServer member) {
		return member.url();
	}

}
