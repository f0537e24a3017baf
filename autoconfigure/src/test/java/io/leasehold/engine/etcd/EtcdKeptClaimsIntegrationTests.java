package io.leasehold.engine.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.LockTerms;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys.Kept;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.test.contract.Terms;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys that stay for a minimum hold after their claims have ended, also by the end of
 * their session.
 */
@Tag("full")
class EtcdKeptClaimsIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration MIN_HOLD = Duration.ofMinutes(5);

	private final EtcdEngines engines = new EtcdEngines();

	private final String url = EtcdTestServer.shared().url();

	private final EtcdOperator operator = new EtcdOperator(this.url);

	private EtcdRelay relay;

	private EtcdLockEngine engine;

	private EtcdLockEngine other;

	@BeforeEach
	void connect() {
		this.relay = this.engines.open(new EtcdRelay(this.url));
		this.engine = this.engines.engine(this.url);
		this.other = this.engines.engine(this.relay.url(), this.url);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	@Test
	void claimOfAProcessThatDiedHasNotReleasedItsKey() {
		Claim claim = claim(MIN_HOLD);
		Instant before = Instant.now();
		Granted granted = EtcdEngines.granted(this.engine, claim);
		assertThat(find()).isNull();
		endSessions();
		assertThat(this.other.inspect(KEY)).isEmpty();
		assertThat(this.other.heldKeys().list("", null, 10).keys()).isEmpty();
		assertThat(this.other.forceRelease(KEY)).isEmpty();
		Kept kept = find();
		assertThat(kept.last())
			.isEqualTo(Holder.of(claim.owner().token(), granted.number(), kept.last().since(), null));
		assertThat(kept.last().since()).isBetween(before.minusMillis(1), Instant.now().plusMillis(1));
		assertThat(kept.released()).isNull();
		assertThat(kept.remaining()).isBetween(MIN_HOLD.minusMinutes(1), MIN_HOLD);
		long lease = key().lease();
		assertThat(this.other.keptKeys().open(KEY)).isNotNull();
		assertThat(find()).isNull();
		assertThat(EtcdOperator.secondsLeft(this.url, lease)).as("lease without a key").isNegative();
		assertThat(EtcdEngines.granted(this.other, this.engines.claim(KEY)).number()).isGreaterThan(granted.number());
	}

	/** Nobody knows when the lock delay began. */
	@Test
	void claimWithALockDelayHoldsItsLockAfterItsSession() {
		Granted granted = EtcdEngines.granted(this.engine,
				this.engines.claim(KEY, Terms.of(Access.EXCLUSIVE, LEASE, MIN_HOLD, Duration.ofSeconds(10))));
		endSessions();
		assertThat(find()).isNull();
		assertThat(this.other.keptKeys().open(KEY)).isNull();
		assertThat(this.other.inspect(KEY)).extracting(Holder::number).containsExactly(granted.number());
	}

	/** Its lease may not have ended: it is that of the key. */
	@Test
	void claimWithAShortMinimumHoldHoldsItsLockAfterItsSession() {
		Granted granted = EtcdEngines.granted(this.engine, claim(LEASE.minusSeconds(1)));
		endSessions();
		assertThat(find()).isNull();
		assertThat(this.other.keptKeys().open(KEY)).isNull();
		assertThat(this.other.inspect(KEY)).extracting(Holder::number).containsExactly(granted.number());
	}

	@Test
	void claimThatContinuesInTheNextSessionIsHeld() {
		Claim claim = claim(MIN_HOLD);
		Granted granted = EtcdEngines.granted(this.engine, claim);
		endSessions();
		assertThat(find()).isNotNull();
		continueInTheNextSession(claim);
		assertThat(find()).isNull();
		assertThat(this.other.inspect(KEY)).extracting(Holder::number).containsExactly(granted.number());
	}

	@Test
	void openingDoesNotEndAClaimThatContinuesMeanwhile() {
		Claim claim = claim(MIN_HOLD);
		EtcdEngines.granted(this.engine, claim);
		endSessions();
		this.relay.change(Rpc.TIME_TO_LIVE, (response) -> {
			continueInTheNextSession(claim);
			return response;
		});
		assertThat(this.other.keptKeys().open(KEY)).isNull();
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	@Test
	void openingThatWasSentTwiceIsReported() {
		Claim claim = claim(MIN_HOLD);
		Granted granted = EtcdEngines.granted(this.engine, claim);
		this.engine.release(claim);
		this.relay.change(Rpc.TXN, EtcdRelay::lose);
		assertThat(this.other.keptKeys().open(KEY).last().number()).isEqualTo(granted.number());
		assertThat(this.relay.requests(Rpc.TXN)).isOne();
		assertThat(this.other.keptKeys().open(KEY)).isNull();
	}

	@Test
	void keyIsNotKeptIfItsLeaseEndsMeanwhile() {
		Claim claim = claim(MIN_HOLD);
		EtcdEngines.granted(this.engine, claim);
		this.engine.release(claim);
		this.relay.before(Rpc.TIME_TO_LIVE, () -> this.operator.revoke(key().lease()));
		assertThat(find()).isNull();
	}

	/** Waiting claims have keys behind it. */
	@Test
	void keyOfAWaitingClaimIsNeverKept() {
		Claim claim = claim(MIN_HOLD);
		Granted granted = EtcdEngines.granted(this.engine, claim);
		this.engine.tryAcquire(waiting());
		this.engine.release(claim);
		assertThat(find().last().number()).isEqualTo(granted.number());
		assertThat(this.other.keptKeys().open(KEY)).isNotNull();
		assertThat(find()).isNull();
		assertThat(this.other.keptKeys().open(KEY)).isNull();
		assertThat(this.operator.keys(this.engines.keys.claims(KEY))).hasSize(1);
	}

	@Test
	void timeOfTheGrantOutlastsARenewalThatMovesTheKey() {
		Claim claim = claim(LEASE.plusSeconds(1));
		Granted granted = EtcdEngines.granted(this.engine, claim);
		KeyValue first = key();
		EtcdEngines.eventually().until(() -> {
			EtcdEngines.renew(this.engine, claim, granted);
			return key().lease() != first.lease();
		});
		assertThat(ClaimValue.holder(key()).since()).isEqualTo(ClaimValue.holder(first).since());
		this.engine.release(claim);
		assertThat(find().last().since()).isEqualTo(ClaimValue.holder(first).since());
	}

	/** As after a change that Leasehold does not make. */
	@Test
	void openingAKeyOnASessionDoesNotEndTheSession() {
		EtcdEngines.granted(this.engine, claim(MIN_HOLD));
		endSessions();
		LockKey plain = new LockKey("plain");
		EtcdEngines.granted(this.other, this.engines.claim(plain));
		KeyValue held = this.operator.read(this.engines.keys.claims(plain)).get(0);
		EtcdOperator.send(() -> this.operator.store()
			.transact(List.of(), List.of(Operation.attach(key().key(), held.lease())), List.of(),
					EtcdOperator.deadline()));
		assertThat(this.other.keptKeys().open(KEY)).isNotNull();
		assertThat(this.operator.keys(this.engines.keys.claims(KEY))).isEmpty();
		assertThat(this.operator.read(this.engines.keys.claims(plain))).containsExactly(held);
	}

	/** The key is removed before it can be moved to its lease. */
	@Test
	void leaseThatWasNotUsedIsRevoked() {
		List<Long> leases = new ArrayList<>();
		this.relay.change(Rpc.GRANT, (body) -> {
			if (this.engine.forceRelease(KEY).size() == 1) {
				leases.add(body.number(2));
				this.relay.changeNothing();
			}
			return body;
		});
		EtcdEngines.granted(this.other, claim(MIN_HOLD));
		assertThat(leases).hasSize(1);
		assertThat(EtcdOperator.secondsLeft(this.url, leases.get(0))).isNegative();
	}

	/** The engine notices, and continues in a new session only when it is asked to. */
	private void endSessions() {
		this.operator.read(this.engines.keys.session(0).replaceFirst("[^/]*$", ""))
			.forEach((session) -> this.operator.revoke(session.lease()));
	}

	private void continueInTheNextSession(Claim claim) {
		EtcdEngines.eventually().until(() -> this.engine.inDoubt(claim));
		EtcdEngines.granted(this.engine, claim);
	}

	private Kept find() {
		return this.other.keptKeys().find(KEY);
	}

	private KeyValue key() {
		return this.operator.read(this.engines.keys.claims(KEY)).get(0);
	}

	private Claim claim(Duration minHold) {
		return this.engines.claim(KEY, new LockTerms(LEASE, minHold));
	}

	private Claim waiting() {
		Claim claim = this.engines.claim(KEY);
		return new Claim(KEY, claim.owner(), claim.lease(), Duration.ZERO, true, System.nanoTime());
	}

}
