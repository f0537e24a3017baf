package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Contradicted;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Subscription;
import io.leasehold.event.LockEvent;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.FaultProxy;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Lost sessions, lost responses and late requests of {@link EtcdLockEngine}.
 */
@Tag("full")
class EtcdLockEngineFaultsIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	/** Session timeout and lease so long that no test lasts until a renewal. */
	private static final Duration UNRENEWED = Duration.ofMinutes(30);

	private final EtcdEngines engines = new EtcdEngines();

	private final String url = EtcdTestServer.shared().url();

	private final EtcdOperator operator = new EtcdOperator(this.url);

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	@Fault(153)
	@Test
	void locksOfASessionThatWasEndedAreInDoubtAtOnceAndLost() {
		EtcdLockEngine engine = this.engines.engine(UNRENEWED, MonotonicClock.SYSTEM, this.url);
		Claim claim = this.engines.claim(KEY);
		Granted granted = EtcdEngines.granted(engine, claim);
		assertThat(engine.inDoubt(claim)).isFalse();
		this.operator.revoke(lease());
		EtcdEngines.eventually().until(() -> engine.inDoubt(claim));
		assertThat(EtcdEngines.renew(engine, claim, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(EtcdEngines.granted(engine, this.engines.claim(KEY)).number()).isGreaterThan(granted.number());
	}

	/** Also of one whose key is on a lease of its own, because nothing renews it. */
	@Fault(153)
	@Test
	void watchReportsTheLossOfASessionToAllItsHolders() throws Exception {
		EtcdLockEngine engine = this.engines.engine(UNRENEWED, MonotonicClock.SYSTEM, this.url);
		LockService service = this.engines.service(engine, UNRENEWED);
		HeldLock held = service.acquire(KEY.value());
		HeldLock delayed = service.acquire("delayed",
				service.defaults().toBuilder().lockDelay(Duration.ofSeconds(1)).build());
		List<CompletableFuture<LossCause>> losses = List.of(lossOf(held), lossOf(delayed));
		this.operator.revoke(lease());
		for (CompletableFuture<LossCause> loss : losses) {
			assertThat(loss.get(60, TimeUnit.SECONDS)).isEqualTo(LossCause.NOT_OWNER);
		}
		EtcdEngines.eventually()
			.until(() -> this.engines.events.stream().filter(LockEvent.HoldLost.class::isInstance).count() == 2);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::throwIfLost);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.NOT_OWNER));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(delayed::close);
	}

	/** A claim that waits loses its place with its session, and is notified. */
	@Fault(154)
	@Test
	void waitingClaimOfALostSessionBeginsAnew() {
		EtcdLockEngine engine = this.engines.engine(this.url);
		Claim holder = this.engines.claim(KEY);
		EtcdEngines.granted(this.engines.engine(this.url), holder);
		Claim waiting = Claims.waiting(this.engines.claim(KEY));
		assertThat(engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		List<String> before = this.operator.keys(this.engines.keys.claims(KEY));
		AtomicInteger signals = new AtomicInteger();
		Subscription open = engine.subscribe(waiting, (signal) -> signals.incrementAndGet());
		this.operator.revoke(this.operator.read(this.engines.keys.claims(KEY)).get(1).lease());
		EtcdEngines.eventually().until(() -> signals.get() > 0);
		open.close();
		assertThat(engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		assertThat(this.operator.keys(this.engines.keys.claims(KEY))).hasSameSizeAs(before);
	}

	/** Only the key of the session was removed. */
	@Fault(154)
	@Test
	void keysOfALostSessionAreRemovedBeforeTheNextOneIsUsed() {
		EtcdLockEngine engine = this.engines.engine(this.url);
		EtcdLockEngine other = this.engines.engine(this.url);
		EtcdEngines.granted(other, this.engines.claim(KEY));
		Claim waiting = Claims.waiting(this.engines.claim(KEY));
		assertThat(engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		KeyValue before = this.operator.read(this.engines.keys.claims(KEY)).get(1);
		assertThat(this.operator.remove(this.engines.keys.session(before.lease()))).isTrue();
		EtcdEngines.eventually().until(() -> engine.inDoubt(waiting));
		assertThat(engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		KeyValue after = this.operator.read(this.engines.keys.claims(KEY)).get(1);
		assertThat(after.created()).isGreaterThan(before.created());
		assertThat(after.lease()).isNotEqualTo(before.lease());
		assertThat(EtcdOperator.secondsLeft(this.url, before.lease())).isNegative();
	}

	/** Such as on a session that was forgotten while the request was under way. */
	@Test
	void claimHoldsByNoKeyThatItsSessionDoesNotKeep() {
		EtcdLockEngine engine = this.engines.engine(this.url);
		EtcdLockEngine other = this.engines.engine(this.url);
		Claim holder = this.engines.claim(KEY);
		EtcdEngines.granted(other, holder);
		Claim waiting = Claims.waiting(this.engines.claim(KEY));
		assertThat(engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		KeyValue entered = this.operator.read(this.engines.keys.claims(KEY)).get(1);
		this.operator.write(entered.key(), entered.value());
		other.release(holder);
		EtcdEngines.granted(engine, waiting);
		assertThat(this.operator.read(this.engines.keys.claims(KEY))).singleElement()
			.extracting(KeyValue::lease)
			.isEqualTo(entered.lease());
	}

	@Test
	void renewalWithoutAServerIsUnknownAndAcquisitionFails() {
		FaultProxy proxy = this.engines.proxy();
		EtcdLockEngine engine = this.engines.engine(EtcdEngines.url(proxy));
		Claim claim = this.engines.claim(KEY);
		Granted granted = EtcdEngines.granted(engine, claim);
		proxy.refuse();
		proxy.reset();
		assertThat(EtcdEngines.renew(engine, claim, granted)).isInstanceOf(RenewalOutcome.Unknown.class);
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> engine.tryAcquire(this.engines.claim(new LockKey("another"))))
			.matches(LockEngineException::isRetryable)
			.withMessageContaining("etcd could not acquire lock 'another'")
			.withMessageContaining(EtcdEngines.url(proxy));
		proxy.heal();
		EtcdEngines.eventually()
			.until(() -> EtcdEngines.renew(engine, claim, granted) instanceof RenewalOutcome.Renewed);
	}

	/** Not longer than its session, though its lease is. */
	@Fault(153)
	@Test
	void lockOfAProcessThatIsCutOffIsLostBeforeItIsFree() {
		FaultProxy proxy = this.engines.proxy();
		Duration session = Duration.ofSeconds(8);
		EtcdLockEngine engine = this.engines.engine(session, MonotonicClock.SYSTEM, EtcdEngines.url(proxy));
		Claim claim = this.engines.claim(KEY);
		Granted granted = EtcdEngines.granted(engine, claim);
		assertThat(granted.validUntil() - System.nanoTime()).isLessThan(session.toNanos());
		proxy.blackHole();
		EtcdLockEngine other = this.engines.engine(this.url);
		Claim next = this.engines.claim(KEY);
		EtcdEngines.eventually().until(() -> other.tryAcquire(next) instanceof Granted);
		assertThat(System.nanoTime() - granted.validUntil()).isPositive();
		proxy.heal();
		EtcdEngines.eventually()
			.until(() -> EtcdEngines.renew(engine, claim, granted) instanceof RenewalOutcome.NotOwner);
	}

	/** One error must not end the periodic task that ends leases. */
	@Test
	void leaseEndsAlthoughAnErrorWasThrownBefore() {
		AtomicBoolean fails = new AtomicBoolean();
		EtcdLockEngine engine = this.engines.engine(UNRENEWED, () -> {
			if (Thread.currentThread().getName().startsWith("leasehold-etcd-") && fails.getAndSet(false)) {
				throw new OutOfMemoryError("of a test");
			}
			return System.nanoTime();
		}, this.url);
		EtcdEngines.granted(engine, this.engines.claim(KEY, Access.EXCLUSIVE, Duration.ofSeconds(10)));
		fails.set(true);
		EtcdEngines.eventually().until(() -> !fails.get());
		EtcdEngines.eventually().until(() -> engine.liveClaims() == 0);
		assertThat(engine.inspect(KEY)).isEmpty();
	}

	/** What no claim of the process knows would be kept alive for ever. */
	@Fault(155)
	@Test
	void keyWithoutAClaimIsRemoved() {
		AtomicLong ahead = new AtomicLong();
		EtcdLockEngine engine = this.engines.engine(Duration.ofSeconds(20), () -> System.nanoTime() + ahead.get(),
				this.url);
		Claim claim = this.engines.claim(new LockKey("kept"), Access.EXCLUSIVE, Duration.ofHours(1));
		EtcdEngines.granted(engine, claim);
		String stray = EtcdKeys.claim(this.engines.keys.claims(KEY), "stray", Access.EXCLUSIVE);
		EtcdOperator.send(() -> this.operator.store()
			.transact(List.of(), List.of(Operation.put(stray, "", lease())), List.of(), EtcdOperator.deadline()));
		ahead.set(Duration.ofMinutes(6).toNanos());
		EtcdEngines.eventually().until(() -> this.operator.keys(this.engines.keys.claims(KEY)).isEmpty());
		assertThat(this.operator.keys(this.engines.keys.claims(new LockKey("kept")))).hasSize(1);
	}

	@Fault(11)
	@Test
	void acquisitionWhoseResponseWasLostFindsItsOwnGrant() {
		FaultProxy proxy = this.engines.proxy();
		EtcdLockEngine engine = this.engines.engine(EtcdEngines.url(proxy));
		Claim first = this.engines.claim(new LockKey("first"));
		EtcdEngines.granted(engine, first);
		Claim claim = this.engines.claim(KEY);
		loseResponse(proxy, () -> engine.tryAcquire(claim), this::isClaimed);
		KeyValue created = this.operator.read(this.engines.keys.claims(KEY)).get(0);
		assertThat(EtcdEngines.repeated(() -> EtcdEngines.granted(engine, claim)).number())
			.isEqualTo(created.created());
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(this.operator.keys(this.engines.keys.claims(KEY))).isEmpty();
	}

	@Fault(11)
	@Test
	void contradictedClaimWhoseRemovalHadNoResponseIsContradictedAgain() {
		EtcdRelay relay = this.engines.open(new EtcdRelay(this.url));
		EtcdLockEngine engine = this.engines.engine(relay.url());
		Claim holder = this.engines.claim(KEY, Access.permits(2), Duration.ofSeconds(60));
		EtcdEngines.granted(this.engines.engine(this.url), holder);
		List<String> held = this.operator.keys(this.engines.keys.claims(KEY));
		Claim claim = Claims.waiting(this.engines.claim(KEY, Access.permits(3), Duration.ofSeconds(60)));
		relay.change(Rpc.TXN, (response) -> {
			if (response.all(3).stream().anyMatch((operation) -> operation.has(3))) {
				relay.change(Rpc.TXN, EtcdRelay::lose);
				EtcdRelay.lose(response);
			}
			return response;
		});
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		relay.changeNothing();
		assertThat(engine.tryAcquire(claim)).isEqualTo(new Contradicted(Access.permits(2)));
		assertThat(this.operator.keys(this.engines.keys.claims(KEY))).isEqualTo(held);
		assertThat(engine.liveClaims()).isZero();
	}

	@Fault(13)
	@Test
	void repeatedReleaseAfterALostResponseLeavesNothing() {
		FaultProxy proxy = this.engines.proxy();
		EtcdLockEngine engine = this.engines.engine(EtcdEngines.url(proxy));
		Claim claim = this.engines.claim(KEY);
		EtcdEngines.granted(engine, claim);
		loseResponse(proxy, () -> engine.release(claim), () -> !isClaimed());
		// Of either outcome, if a connection breaks once more
		EtcdEngines.repeated(() -> engine.release(claim));
		assertThat(engine.liveClaims()).isZero();
		assertThat(isClaimed()).isFalse();
	}

	/** Let a request take effect, and its connection break before the response. */
	private static void loseResponse(FaultProxy proxy, Runnable request, Callable<Boolean> effect) {
		proxy.replies().hold();
		CompletableFuture<Void> running = CompletableFuture.runAsync(request);
		EtcdEngines.eventually().until(effect);
		proxy.reset();
		assertThat(running).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockEngineException.class);
		proxy.heal();
	}

	private boolean isClaimed() {
		return !this.operator.keys(this.engines.keys.claims(KEY)).isEmpty();
	}

	/** The session's watch is opened again after its first revisions were forgotten. */
	@Fault({ 153, 156 })
	@Test
	void endOfASessionIsReportedAfterACompaction() throws Exception {
		FaultProxy proxy = this.engines.proxy();
		EtcdLockEngine engine = this.engines.engine(UNRENEWED, MonotonicClock.SYSTEM, EtcdEngines.url(proxy));
		Claim claim = this.engines.claim(KEY);
		long revision = EtcdEngines.granted(engine, claim).number();
		EtcdOperator.compact(this.url, revision);
		proxy.reset();
		this.operator.revoke(lease());
		EtcdEngines.eventually().until(() -> engine.inDoubt(claim));
	}

	/** Each of their watches has to be created before the next one is. */
	@Test
	void manyWaitingClaimsAreNotifiedOfTheirTurns() {
		EtcdLockEngine engine = this.engines.engine(this.url);
		EtcdLockEngine other = this.engines.engine(this.url);
		List<Claim> holders = new ArrayList<>();
		Set<LockKey> notified = ConcurrentHashMap.newKeySet();
		for (int i = 0; i < 100; i++) {
			LockKey key = new LockKey("key:" + i);
			holders.add(this.engines.claim(key));
			EtcdEngines.granted(other, holders.get(i));
			Claim claim = Claims.waiting(this.engines.claim(key));
			assertThat(engine.tryAcquire(claim)).isInstanceOf(Busy.class);
			// Before its watch is created
			engine.subscribe(claim, (signal) -> notified.add(key)).close();
			assertThat(engine.tryAcquire(claim)).isInstanceOf(Busy.class);
			this.engines.open(engine.subscribe(claim, (signal) -> notified.add(key)));
		}
		holders.forEach(other::release);
		EtcdEngines.eventually().until(() -> notified.size() == holders.size());
	}

	/** Otherwise the server would keep it for as long as its process runs. */
	@Test
	void watchOfAClaimThatEndsIsClosed() {
		EtcdTestServer server = this.engines.open(EtcdTestServer.start());
		EtcdLockEngine engine = this.engines.engine(server.url());
		Claim holder = this.engines.claim(KEY);
		EtcdEngines.granted(engine, holder);
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(server.url()) == 1);
		Claim claim = Claims.waiting(this.engines.claim(KEY));
		assertThat(engine.tryAcquire(claim)).isInstanceOf(Busy.class);
		Subscription open = engine.subscribe(claim, (signal) -> {
		});
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(server.url()) == 2);
		open.close();
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(server.url()) == 1);
		assertThat(engine.tryAcquire(claim)).isInstanceOf(Busy.class);
		this.engines.open(engine.subscribe(claim, (signal) -> {
		}));
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(server.url()) == 2);
		engine.release(holder);
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(server.url()) == 1);
	}

	private static CompletableFuture<LossCause> lossOf(HeldLock held) {
		CompletableFuture<LossCause> loss = new CompletableFuture<>();
		held.onLost((lost) -> loss.complete(lost.getLossCause()));
		return loss;
	}

	private long lease() {
		List<KeyValue> sessions = this.operator.read(this.engines.keys.session(0).replaceFirst("[^/]*$", ""));
		assertThat(sessions).hasSize(1);
		return sessions.get(0).lease();
	}

}
