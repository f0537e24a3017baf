package io.leasehold.engine.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockTerms;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys.Kept;
import io.leasehold.engine.Member;
import io.leasehold.engine.Owner;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.EtcdTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Keys that an operator keeps instead of a minimum hold. The clock of the holder runs
 * ahead of the server's on command.
 */
@Tag("full")
class EtcdReplacedClaimsIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration MIN_HOLD = Duration.ofMinutes(5);

	private static final Owner OPERATOR = Member.of("office").newOwner("operator");

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
		this.engine = this.engines.engine(Duration.ofMinutes(10), () -> System.nanoTime() + this.ahead.get(), this.url);
		this.other = this.engines.engine(this.relay.url(), this.url);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	@Test
	void replacedKeyIsKeptByTheNewOwnerForTheNewTime() {
		Claim claim = claim();
		Granted granted = EtcdEngines.granted(this.engine, claim);
		this.engine.release(claim);
		Holder last = find().last();
		for (Duration duration : List.of(Duration.ofMinutes(1), Duration.ofDays(366))) {
			Instant before = Instant.now();
			assertThat(replace(this.other, duration).last()).isEqualTo(last);
			Kept kept = find();
			last = kept.last();
			assertThat(last).isEqualTo(Holder.of(OPERATOR.token(), granted.number(), kept.released(), null));
			assertThat(kept.released()).isBetween(before.minusMillis(1), Instant.now().plusMillis(1));
			assertThat(kept.remaining()).isBetween(duration.minusSeconds(30), duration);
			assertThat(this.other.inspect(KEY)).isEmpty();
			assertThat(this.other.forceRelease(KEY)).isEmpty();
			assertThat(this.other.tryAcquire(this.engines.claim(KEY))).isInstanceOf(Busy.class);
		}
	}

	@Test
	void replacedKeyIsFreeAfterTheNewTime() {
		Claim claim = claim();
		EtcdEngines.granted(this.engine, claim);
		this.engine.release(claim);
		replace(this.other, Duration.ofMillis(1));
		EtcdEngines.eventually().until(() -> this.engine.tryAcquire(this.engines.claim(KEY)) instanceof Granted);
	}

	@Test
	void waitingClaimsKeepTheirPlacesUntilTheKeyIsOpened() {
		Claim claim = claim();
		EtcdEngines.granted(this.engine, claim);
		Claim first = waiting();
		Claim second = waiting();
		this.engine.tryAcquire(first);
		this.other.tryAcquire(second);
		this.engine.release(claim);
		assertThat(replace(this.other, MIN_HOLD)).isNotNull();
		assertThat(this.engine.tryAcquire(first)).isInstanceOf(Busy.class);
		assertThat(this.other.tryAcquire(second)).isInstanceOf(Busy.class);
		assertThat(this.other.keptKeys().open(KEY).last().thread()).isEqualTo("operator");
		assertThat(this.other.tryAcquire(second)).isInstanceOf(Busy.class);
		EtcdEngines.granted(this.engine, first);
	}

	@Test
	void keyThatIsHeldOrFreeIsNotReplaced() {
		assertThat(replace(this.other, MIN_HOLD)).as("free").isNull();
		Claim claim = claim();
		Granted granted = EtcdEngines.granted(this.engine, claim);
		assertThat(replace(this.other, MIN_HOLD)).as("held").isNull();
		assertThat(EtcdEngines.renew(this.engine, claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void keyOfAProcessThatDiedIsReplaced() {
		EtcdEngines.granted(this.engine, claim());
		endSessions();
		assertThat(replace(this.other, MIN_HOLD).released()).isNull();
		assertThat(find().released()).isNotNull();
	}

	/** It was released by force, and its minimum hold ends before the new time. */
	@Test
	void lateRequestsOfTheFormerOwnerDoNotChangeAReplacedKey() {
		Claim claim = claim();
		Granted granted = EtcdEngines.granted(this.engine, claim);
		KeyValue replaced = replaceByForce(this.other);
		assertThat(EtcdEngines.renew(this.engine, claim, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		this.ahead.set(MIN_HOLD.plusSeconds(1).toNanos());
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(key()).isEqualTo(replaced);
	}

	@Test
	void claimThatIsRequestedAgainDoesNotAcquireAReplacedKey() {
		Claim claim = claim();
		EtcdEngines.granted(this.engine, claim);
		KeyValue replaced = replaceByForce(this.other);
		assertThat(this.engine.tryAcquire(claim)).isInstanceOf(Busy.class);
		assertThat(this.engine.tryAcquire(claim)).isInstanceOf(Busy.class);
		this.engine.release(claim);
		assertThat(key()).isEqualTo(replaced);
	}

	/** The response to its grant is lost. */
	@Test
	void claimInDoubtDoesNotAcquireOrRemoveAReplacedKey() {
		Claim claim = claim();
		EtcdLockEngine single = this.engines.engine(this.relay.url());
		this.relay.change(Rpc.GRANT, (body) -> {
			if (!this.operator.keys(this.engines.keys.claims(KEY)).isEmpty()) {
				this.relay.change(Rpc.TXN, EtcdRelay::lose);
			}
			return body;
		});
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> single.tryAcquire(claim));
		this.relay.changeNothing();
		KeyValue replaced = replaceByForce(this.engine);
		assertThat(single.tryAcquire(claim)).isInstanceOf(Busy.class);
		single.release(claim);
		assertThat(key()).isEqualTo(replaced);
	}

	@Test
	void replacementThatWasSentTwiceIsReported() {
		Claim claim = claim();
		Granted granted = EtcdEngines.granted(this.engine, claim);
		this.engine.release(claim);
		this.relay.change(Rpc.TXN, EtcdRelay::lose);
		assertThat(replace(this.other, MIN_HOLD).last().thread()).isEqualTo(Thread.currentThread().getName());
		assertThat(this.relay.requests(Rpc.TXN)).isOne();
		assertThat(find().last().thread()).isEqualTo("operator");
		assertThat(key().created()).isEqualTo(granted.number());
	}

	/** The lease for the replacement is not used. */
	@Test
	void replacementDoesNotEndAClaimThatContinuesMeanwhile() {
		Claim claim = claim();
		EtcdEngines.granted(this.engine, claim);
		endSessions();
		List<Long> leases = new ArrayList<>();
		this.relay.change(Rpc.GRANT, (body) -> {
			leases.add(body.number(2));
			EtcdEngines.eventually().until(() -> this.engine.inDoubt(claim));
			EtcdEngines.granted(this.engine, claim);
			return body;
		});
		assertThat(replace(this.other, MIN_HOLD)).isNull();
		assertThat(leases).hasSize(1);
		assertThat(EtcdOperator.secondsLeft(this.url, leases.get(0))).isNegative();
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	private KeyValue replaceByForce(EtcdLockEngine by) {
		assertThat(by.forceRelease(KEY)).hasSize(1);
		assertThat(replace(by, Duration.ofHours(1))).isNotNull();
		return key();
	}

	private void endSessions() {
		this.operator.read(this.engines.keys.sessions()).forEach((session) -> this.operator.revoke(session.lease()));
	}

	private static Kept replace(EtcdLockEngine by, Duration duration) {
		return ((KeptClaims) by.keptKeys()).replace(KEY, OPERATOR, duration);
	}

	private Kept find() {
		return this.other.keptKeys().find(KEY);
	}

	private KeyValue key() {
		return this.operator.read(this.engines.keys.claims(KEY)).get(0);
	}

	private Claim claim() {
		return this.engines.claim(KEY, new LockTerms(Duration.ofSeconds(30), MIN_HOLD));
	}

	private Claim waiting() {
		Claim claim = this.engines.claim(KEY);
		return new Claim(KEY, claim.owner(), claim.lease(), Duration.ZERO, true, System.nanoTime());
	}

}
