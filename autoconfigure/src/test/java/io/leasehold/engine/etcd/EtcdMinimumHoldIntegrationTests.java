package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.leasehold.engine.Holder;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockTerms;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Leases of keys with a minimum hold, and forced releases of such keys. The clock of the
 * holder runs ahead of the server's on command.
 */
@Tag("full")
class EtcdMinimumHoldIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration LEASE = Duration.ofSeconds(10);

	private final EtcdEngines engines = new EtcdEngines();

	private final String url = EtcdTestServer.shared().url();

	private final EtcdOperator operator = new EtcdOperator(this.url);

	private final AtomicLong ahead = new AtomicLong();

	private EtcdRelay relay;

	private EtcdLockEngine engine;

	private EtcdLockEngine other;

	@BeforeEach
	void connect() {
		this.relay = this.engines.open(new EtcdRelay(this.url));
		this.engine = this.engines.engine(Duration.ofMinutes(10), () -> System.nanoTime() + this.ahead.get(),
				this.relay.url());
		this.other = this.engines.engine(this.url);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	/** The lease of the key ends with the minimum hold, so its rest is known exactly. */
	@Test
	void forcedReleaseLeavesTheKeyToTheLeaseOfItsMinimumHold() {
		Claim claim = claim(Duration.ofMinutes(5));
		Granted granted = EtcdEngines.granted(this.engine, claim);
		KeyValue before = key();
		assertLostByForce(claim, granted);
		assertThat(key().lease()).isEqualTo(before.lease());
		assertThat(EtcdOperator.secondsLeft(this.url, before.lease())).isBetween(240L, 300L);
	}

	/** The renewal that finds the key closed must not extend its lease. */
	@Test
	void renewalAfterAForcedReleaseDoesNotExtendTheMinimumHold() {
		Claim claim = claim(Duration.ofSeconds(20));
		Granted granted = EtcdEngines.granted(this.engine, claim);
		long lease = key().lease();
		assertThat(this.other.forceRelease(KEY)).hasSize(1);
		EtcdEngines.eventually().until(() -> EtcdOperator.secondsLeft(this.url, lease) <= 18);
		this.ahead.set(Duration.ofSeconds(10).toNanos());
		assertThat(EtcdEngines.renew(this.engine, claim, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(key().lease()).isEqualTo(lease);
		assertThat(EtcdOperator.secondsLeft(this.url, lease)).isBetween(0L, 18L);
	}

	@Test
	void renewalMovesTheKeyBeforeItsMinimumHoldEnds() {
		Claim claim = claim(Duration.ofSeconds(20));
		Granted granted = EtcdEngines.granted(this.engine, claim);
		KeyValue second = move(claim, granted);
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(ClaimValue.isClosed(key().value())).isTrue();
		assertThat(key().lease()).as("for the rest only").isNotEqualTo(second.lease());
		assertThat(this.other.tryAcquire(this.engines.claim(KEY))).isInstanceOf(Busy.class);
	}

	/** After the move, the rest of the minimum hold is part of the value. */
	@Test
	void forcedReleaseAfterTheMoveLeavesTheKeyForTheRest() {
		Claim claim = claim(Duration.ofSeconds(20));
		Granted granted = EtcdEngines.granted(this.engine, claim);
		KeyValue second = move(claim, granted);
		assertThat(ClaimValue.rest(second.value())).isBetween(Duration.ofMillis(1), LEASE);
		assertLostByForce(claim, granted);
		assertThat(key().lease()).isNotEqualTo(second.lease());
		assertThat(EtcdOperator.secondsLeft(this.url, key().lease())).isBetween(0L, LEASE.toSeconds());
	}

	/** The operator has read the key before the move, and closes it after the move. */
	@Test
	void keyThatMovesDuringAForcedReleaseStaysForItsMinimumHold() {
		Claim claim = claim(Duration.ofSeconds(20));
		Granted granted = EtcdEngines.granted(this.engine, claim);
		EtcdRelay between = this.engines.open(new EtcdRelay(this.url));
		AtomicBoolean once = new AtomicBoolean();
		between.change(Rpc.RANGE, (body) -> {
			if (once.compareAndSet(false, true)) {
				move(claim, granted);
			}
			return body;
		});
		List<Holder> lost = this.engines.engine(between.url()).forceRelease(KEY);
		assertThat(lost).extracting(Holder::number).containsExactly(granted.number());
		KeyValue closed = key();
		assertThat(ClaimValue.isClosed(closed.value())).isTrue();
		assertThat(EtcdOperator.secondsLeft(this.url, closed.lease())).isBetween(0L, LEASE.toSeconds());
		assertThat(EtcdEngines.renew(this.engine, claim, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
	}

	/** A minimum hold that is shorter than the lease. */
	@Test
	void forcedReleaseOfAKeyThatIsKeptAliveLeavesItForTheMinimumHold() {
		Claim claim = this.engines.claim(KEY, new LockTerms(Duration.ofMinutes(5), Duration.ofMinutes(1)));
		Granted granted = EtcdEngines.granted(this.engine, claim);
		KeyValue before = key();
		assertLostByForce(claim, granted);
		assertThat(key().lease()).isNotEqualTo(before.lease());
		assertThat(EtcdOperator.secondsLeft(this.url, key().lease())).isBetween(30L, 60L);
	}

	/** Each renewal extends it, and only a longer lease needs another one. */
	@Test
	void leaseThatIsKeptAliveIsReplacedByALongerOneOnly() {
		Claim claim = this.engines.claim(KEY, new LockTerms(Duration.ofMinutes(1), Duration.ofSeconds(1)));
		Granted granted = EtcdEngines.granted(this.engine, claim);
		long lease = key().lease();
		EtcdEngines.eventually().until(() -> EtcdOperator.secondsLeft(this.url, lease) <= 55);
		assertThat(EtcdEngines.renew(this.engine, claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(key().lease()).isEqualTo(lease);
		assertThat(EtcdOperator.secondsLeft(this.url, lease)).isGreaterThan(55);
		Renewal longer = new Renewal(claim, granted.number(), Duration.ofMinutes(5));
		assertThat(this.engine.renew(List.of(longer)).get(0)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(EtcdOperator.secondsLeft(this.url, key().lease())).isGreaterThan(60);
	}

	/** The operator cannot know that the minimum hold is over; the holder does. */
	@Test
	void releaseAfterAForcedReleaseReportsTheLossAndRemovesTheKey() {
		Claim claim = this.engines.claim(KEY, new LockTerms(Duration.ofMinutes(5), Duration.ofMinutes(1)));
		EtcdEngines.granted(this.engine, claim);
		this.ahead.set(Duration.ofSeconds(61).toNanos());
		assertThat(this.other.forceRelease(KEY)).hasSize(1);
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(this.operator.keys(this.engines.keys.claims(KEY))).isEmpty();
	}

	/** Its response is lost, and an operator closes the key before the next attempt. */
	@Test
	void claimThatWasClosedBeforeItsGrantArrivedBeginsAnew() {
		Claim claim = claim(Duration.ofMinutes(5));
		loseNextMove(this.relay);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.tryAcquire(claim));
		this.relay.changeNothing();
		KeyValue before = key();
		assertThat(ClaimValue.isHeldByLease(before.value())).isTrue();
		assertThat(this.other.forceRelease(KEY)).hasSize(1);
		assertThat(EtcdEngines.granted(this.engine, claim).number()).isGreaterThan(before.created());
		assertThat(this.operator.keys(this.engines.keys.claims(KEY))).hasSize(1);
	}

	/** The request that moves the key is delayed until the claim was granted. */
	@Test
	void lateMoveOfAnAcquisitionDoesNotTakeTheKeyFromItsLease() {
		FaultProxy proxy = this.engines.proxy();
		EtcdRelay before = this.engines.open(new EtcdRelay(EtcdEngines.url(proxy)));
		EtcdLockEngine engine = this.engines.engine(before.url());
		Claim claim = this.engines.claim(KEY, new LockTerms(Duration.ofMinutes(5), Duration.ofMinutes(1)));
		AtomicReference<FaultProxy.Valve> late = strandNextMove(before, proxy);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		before.changeNothing();
		EtcdEngines.eventually().ignoreExceptions().until(() -> engine.tryAcquire(claim) instanceof Granted);
		assertKeyStays(before, late.get());
	}

	@Test
	void lateMoveOfARenewalDoesNotTakeTheKeyFromItsLease() {
		FaultProxy proxy = this.engines.proxy();
		EtcdRelay before = this.engines.open(new EtcdRelay(EtcdEngines.url(proxy)));
		EtcdLockEngine engine = this.engines.engine(before.url());
		Claim claim = this.engines.claim(KEY, new LockTerms(Duration.ofMinutes(1), Duration.ofSeconds(1)));
		Renewal longer = new Renewal(claim, EtcdEngines.granted(engine, claim).number(), Duration.ofMinutes(5));
		AtomicReference<FaultProxy.Valve> late = strandNextMove(before, proxy);
		assertThat(engine.renew(List.of(longer)).get(0)).isInstanceOf(RenewalOutcome.Unknown.class);
		before.changeNothing();
		EtcdEngines.eventually().until(() -> engine.renew(List.of(longer)).get(0) instanceof RenewalOutcome.Renewed);
		assertKeyStays(before, late.get());
	}

	/** The key is on the lease of the renewal that had no response. */
	@Test
	void renewalAfterAMoveWithoutAResponseMovesTheKeyAgain() {
		Claim claim = this.engines.claim(KEY, new LockTerms(Duration.ofMinutes(1), Duration.ofSeconds(1)));
		Granted granted = EtcdEngines.granted(this.engine, claim);
		Renewal longer = new Renewal(claim, granted.number(), Duration.ofMinutes(5));
		long first = key().lease();
		this.relay.change(Rpc.TXN, EtcdRelay::lose);
		assertThat(this.engine.renew(List.of(longer)).get(0)).isInstanceOf(RenewalOutcome.Unknown.class);
		this.relay.changeNothing();
		long second = key().lease();
		assertThat(second).isNotEqualTo(first);
		assertThat(this.engine.renew(List.of(longer)).get(0)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(key().lease()).isNotIn(first, second);
	}

	/** The key of the grant outlived the session. */
	@Test
	void keyOfAClaimThatIsRequestedAgainIsNotMovedToTheNextSession() {
		assertOutlivesTheSession(this.engines.claim(KEY, new LockTerms(Duration.ofMinutes(5), Duration.ofMinutes(1))));
	}

	@Test
	void keyThatIsLockedForItsMinimumHoldIsNotMovedToTheNextSession() {
		assertOutlivesTheSession(claim(Duration.ofMinutes(5)));
	}

	/** The second response is valid for a whole lease, too. */
	@Test
	void keyOfAClaimThatIsRequestedAgainLastsForTheLeaseOfTheSecondGrant() {
		Claim claim = this.engines.claim(KEY, new LockTerms(Duration.ofMinutes(1), Duration.ofSeconds(1)));
		Granted first = EtcdEngines.granted(this.engine, claim);
		EtcdEngines.eventually().until(() -> EtcdOperator.secondsLeft(this.url, key().lease()) <= 55);
		Granted second = EtcdEngines.granted(this.engine, claim);
		assertThat(second.number()).isEqualTo(first.number());
		long left = EtcdOperator.secondsLeft(this.url, key().lease());
		assertThat(System.nanoTime() + Duration.ofSeconds(left + 1).toNanos() - second.validUntil()).isPositive();
	}

	private void assertOutlivesTheSession(Claim claim) {
		Granted granted = EtcdEngines.granted(this.other, claim);
		String sessions = this.engines.keys.session(0).replaceFirst("[^/]*$", "");
		this.operator.keys(sessions).forEach(this.operator::remove);
		EtcdEngines.eventually().until(() -> this.other.inDoubt(claim));
		assertThat(EtcdEngines.granted(this.other, claim).number()).isEqualTo(granted.number());
		assertThat(this.operator.read(sessions)).extracting(KeyValue::lease).doesNotContain(key().lease());
		assertThat(this.other.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(ClaimValue.isClosed(key().value())).isTrue();
	}

	/** It removes the closed key of the claim, not the one that was created since. */
	@Test
	void lateRemovalOfAClosedKeyDoesNotRemoveTheNextOne() {
		FaultProxy proxy = this.engines.proxy();
		EtcdRelay before = this.engines.open(new EtcdRelay(EtcdEngines.url(proxy)));
		EtcdLockEngine engine = this.engines.engine(before.url());
		Claim claim = claim(Duration.ofMinutes(5));
		loseNextMove(before);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		before.changeNothing();
		assertThat(this.other.forceRelease(KEY)).hasSize(1);
		AtomicReference<FaultProxy.Valve> late = new AtomicReference<>();
		before.change(Rpc.TXN, (body) -> {
			if (!body.flag(2) && late.get() == null) {
				late.set(proxy.strandRequests()); // the key could not be moved
			}
			return body;
		});
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		assertThat(late.get()).isNotNull();
		before.changeNothing();
		EtcdEngines.eventually().ignoreExceptions().until(() -> engine.tryAcquire(claim) instanceof Granted);
		assertKeyStays(before, late.get());
	}

	/** Lose the responses from the creation of a lease for the key on. */
	private void loseNextMove(EtcdRelay relay) {
		relay.change(Rpc.GRANT, (body) -> {
			if (!this.operator.keys(this.engines.keys.claims(KEY)).isEmpty()) {
				relay.change(Rpc.TXN, EtcdRelay::lose);
			}
			return body;
		});
	}

	/** Hold back the request that follows the creation of a lease for the key. */
	private AtomicReference<FaultProxy.Valve> strandNextMove(EtcdRelay relay, FaultProxy proxy) {
		AtomicReference<FaultProxy.Valve> late = new AtomicReference<>();
		relay.change(Rpc.GRANT, (body) -> {
			if (late.get() == null && !this.operator.keys(this.engines.keys.claims(KEY)).isEmpty()) {
				late.set(proxy.strandRequests());
			}
			return body;
		});
		return late;
	}

	/** Let through what was held back, and await its execution. */
	private void assertKeyStays(EtcdRelay relay, FaultProxy.Valve late) {
		KeyValue held = key();
		AtomicInteger executed = new AtomicInteger();
		relay.change(Rpc.TXN, (body) -> {
			executed.incrementAndGet();
			return body;
		});
		late.open();
		EtcdEngines.eventually().until(() -> executed.get() > 0);
		assertThat(this.operator.read(this.engines.keys.claims(KEY))).containsExactly(held);
	}

	private void assertLostByForce(Claim claim, Granted granted) {
		assertThat(this.other.forceRelease(KEY)).extracting(Holder::number).containsExactly(granted.number());
		assertThat(ClaimValue.isClosed(key().value())).isTrue();
		assertThat(this.other.inspect(KEY)).isEmpty();
		assertThat(this.other.forceRelease(KEY)).isEmpty();
		assertThat(this.other.tryAcquire(this.engines.claim(KEY))).isInstanceOf(Busy.class);
		assertThat(EtcdEngines.renew(this.engine, claim, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(key().created()).as("for its minimum hold").isEqualTo(granted.number());
	}

	/** Renew a lock at the end of its minimum hold by the holder's clock. */
	private KeyValue move(Claim claim, Granted granted) {
		KeyValue first = key();
		for (int i = 0; i < 3; i++) {
			this.ahead.addAndGet(Duration.ofSeconds(4).toNanos());
			assertThat(EtcdEngines.renew(this.engine, claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		}
		KeyValue second = key();
		assertThat(second.created()).isEqualTo(first.created());
		assertThat(second.lease()).isNotEqualTo(first.lease());
		return second;
	}

	private KeyValue key() {
		return this.operator.read(this.engines.keys.claims(KEY)).get(0);
	}

	private Claim claim(Duration minHold) {
		return this.engines.claim(KEY, new LockTerms(LEASE, minHold));
	}

}
