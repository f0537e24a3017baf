package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockTerms;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Late requests of ended claims, and the search for keys without a claim.
 */
class EtcdLateKeysIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration SESSION = Duration.ofMinutes(30);

	private final EtcdEngines engines = new EtcdEngines();

	private final String url = EtcdTestServer.shared().url();

	private final EtcdOperator operator = new EtcdOperator(this.url);

	private final AtomicLong ahead = new AtomicLong();

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	/** A server between them forwards the request after its claim was released. */
	@Fault({ 104, 155 })
	@Test
	void requestThatArrivesAfterItsReleaseCreatesNothing() {
		EtcdRelay relay = this.engines.open(new EtcdRelay(this.url));
		long now = System.nanoTime();
		EtcdLockEngine engine = this.engines.engine(SESSION, () -> now, relay.url());
		EtcdEngines.granted(engine, this.engines.claim(new LockKey("first")));
		AtomicBoolean arrives = new AtomicBoolean();
		CompletableFuture<Void> released = new CompletableFuture<>();
		relay.beforeClaims(() -> {
			if (!arrives.getAndSet(true)) {
				released.join();
			}
		});
		Claim claim = this.engines.claim(KEY);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		assertThat(arrives).isTrue();
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		AtomicReference<Message> response = new AtomicReference<>();
		relay.change(Rpc.TXN, (late) -> {
			response.set(late);
			return late;
		});
		released.complete(null);
		EtcdEngines.eventually().until(() -> response.get() != null);
		assertThat(this.operator.keys(this.engines.keys.claims(KEY))).isEmpty();
		EtcdEngines.granted(engine, this.engines.claim(KEY));
	}

	/** Each request that was sent before such a release fails, and is repeated. */
	@Fault(155)
	@Test
	void requestsBesideTheEndOfAClaimWithoutAResponseAreRepeated() {
		EtcdRelay relay = this.engines.open(new EtcdRelay(this.url));
		EtcdLockEngine engine = engine(relay.url());
		EtcdEngines.granted(engine, this.engines.claim(new LockKey("first")));
		KeyValue session = this.operator.read(session()).get(0);
		AtomicBoolean ends = new AtomicBoolean(true);
		relay.beforeClaims(() -> {
			if (ends.getAndSet(false)) {
				EtcdOperator.send(() -> this.operator.store()
					.transact(List.of(), List.of(Operation.attach(session.key(), session.lease())), List.of(),
							EtcdOperator.deadline()));
			}
		});
		EtcdEngines.granted(engine, this.engines.claim(KEY));
		assertThat(ends).isFalse();
		for (Claim next : List.of(this.engines.claim(KEY), Claims.waiting(this.engines.claim(KEY)))) {
			ends.set(true);
			assertThat(engine.tryAcquire(next)).isInstanceOf(Busy.class);
			assertThat(ends).isFalse();
		}
		assertThat(this.operator.keys(this.engines.keys.claims(KEY))).as("with the waiting claim").hasSize(2);
	}

	/**
	 * The key was on the session when the sweeper listed the keys. It moves to its own
	 * lease, and its claim ends, before the sweeper removes unknown keys.
	 */
	@Fault(155)
	@Test
	void keyThatHasMovedToItsOwnLeaseSinceTheListStaysForItsMinimumHold() {
		EtcdRelay relay = this.engines.open(new EtcdRelay(this.url));
		EtcdLockEngine engine = engine(relay.url());
		EtcdLockEngine other = this.engines.engine(this.url);
		Claim holder = this.engines.claim(KEY);
		EtcdEngines.granted(other, holder);
		Claim claim = Claims
			.waiting(this.engines.claim(KEY, new LockTerms(Duration.ofSeconds(60), Duration.ofHours(1))));
		assertThat(engine.tryAcquire(claim)).isInstanceOf(Busy.class);
		KeyValue waiting = this.operator.read(this.engines.keys.claims(KEY)).get(1);
		String strays = this.engines.keys.claims(new LockKey("stray"));
		EtcdOperator.send(() -> this.operator.store()
			.transact(List.of(), List.of(Operation.put(strays + "stray:x", "", waiting.lease())), List.of(),
					EtcdOperator.deadline()));
		AtomicReference<Message> list = new AtomicReference<>();
		relay.change(Rpc.TIME_TO_LIVE, (body) -> {
			if (list.compareAndSet(null, body)) {
				other.release(holder);
				EtcdEngines.granted(engine, claim);
				assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
			}
			return body;
		});
		this.ahead.set(Duration.ofMinutes(6).toNanos());
		EtcdEngines.eventually().until(() -> this.operator.keys(strays).isEmpty());
		assertThat(list.get().texts(5)).contains(waiting.key());
		EtcdEngines.eventually().until(() -> engine.liveClaims() == 0);
		assertThat(this.operator.keys(this.engines.keys.claims(KEY))).containsExactly(waiting.key());
		assertThat(other.tryAcquire(this.engines.claim(KEY))).isInstanceOf(Busy.class);
	}

	/**
	 * The claim begins, and its key is created, just before the sweeper lists the keys.
	 * Claims that are known must be read after the list: otherwise the sweeper would
	 * remove the key of a lock that is held.
	 */
	@Fault(155)
	@Test
	void keyOfAClaimThatBeginsDuringTheSearchStays() {
		EtcdRelay relay = this.engines.open(new EtcdRelay(this.url));
		EtcdLockEngine engine = engine(relay.url());
		EtcdEngines.granted(engine, this.engines.claim(new LockKey("first")));
		KeyValue first = this.operator.read(this.engines.keys.claims(new LockKey("first"))).get(0);
		String strays = this.engines.keys.claims(new LockKey("stray"));
		EtcdOperator.send(() -> this.operator.store()
			.transact(List.of(), List.of(Operation.put(strays + "stray:x", "", first.lease())), List.of(),
					EtcdOperator.deadline()));
		AtomicReference<Claim> begun = new AtomicReference<>();
		relay.before(Rpc.TIME_TO_LIVE, () -> {
			Claim claim = this.engines.claim(KEY, Access.EXCLUSIVE, Duration.ofMinutes(20));
			if (begun.compareAndSet(null, claim)) {
				EtcdEngines.granted(engine, claim);
			}
		});
		this.ahead.set(Duration.ofMinutes(6).toNanos());
		EtcdEngines.eventually().until(() -> this.operator.keys(strays).isEmpty());
		this.ahead.set(Duration.ofMinutes(12).toNanos());
		EtcdEngines.eventually().until(() -> relay.requests(Rpc.TIME_TO_LIVE) > 1);
		assertThat(this.engines.engine(this.url).tryAcquire(this.engines.claim(KEY))).isInstanceOf(Busy.class);
		assertThat(engine.release(begun.get())).isInstanceOf(ReleaseOutcome.Released.class);
	}

	/**
	 * The watch of the session has broken, too. It is not opened again while the clock
	 * stands still, so the end of the session is not noticed before.
	 */
	@Fault(155)
	@Test
	void claimWithoutAResponseEndsAfterItsSession() {
		// No other test opens or closes a watch at this server
		EtcdTestServer server = this.engines.open(EtcdTestServer.start());
		EtcdOperator own = new EtcdOperator(server.url());
		FaultProxy proxy = this.engines.open(FaultProxy.to(server.port()));
		long now = System.nanoTime();
		EtcdLockEngine engine = this.engines.engine(Duration.ofMinutes(30), () -> now, EtcdEngines.url(proxy));
		EtcdEngines.granted(engine, this.engines.claim(new LockKey("first")));
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(server.url()) == 1);
		long former = own.read(session()).get(0).lease();
		Claim claim = this.engines.claim(KEY);
		proxy.replies().reset();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		proxy.heal();
		proxy.reset();
		EtcdEngines.eventually().until(() -> EtcdOperator.watches(server.url()) == 0);
		own.revoke(former);
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(own.keys(this.engines.namespace + "/")).isEmpty();
		EtcdEngines.granted(engine, this.engines.claim(KEY));
		assertThat(own.read(session())).extracting(KeyValue::lease).doesNotContain(former);
	}

	/** Such as that of a process before it was restored from a snapshot. */
	@Test
	void sessionThatNoClaimUsesIsForgottenIfThereIsAnother() {
		EtcdLockEngine engine = engine(this.url);
		Duration lease = Duration.ofDays(100);
		EtcdEngines.granted(engine, this.engines.claim(KEY, Access.EXCLUSIVE, lease));
		long kept = this.operator.read(session()).get(0).lease();
		Member former = Member.of("former");
		EtcdEngines.eventually().until(() -> {
			Claim claim = new Claim(new LockKey("another"), former.newOwner(), lease, Duration.ZERO, false,
					System.nanoTime());
			EtcdEngines.granted(engine, claim);
			engine.release(claim);
			this.ahead.addAndGet(SESSION.toNanos());
			// The second has been replaced
			return this.operator.keys(session()).size() == 3;
		});
		LockKey next = new LockKey("next");
		EtcdEngines.granted(engine, this.engines.claim(next, Access.EXCLUSIVE, lease));
		assertThat(this.operator.read(this.engines.keys.claims(next))).extracting(KeyValue::lease)
			.containsExactly(kept);
	}

	private String session() {
		return this.engines.keys.session(0).replaceFirst("[^/]*$", "");
	}

	private EtcdLockEngine engine(String reached) {
		return this.engines.open(new EtcdLockEngine(EtcdEngines.connection(reached),
				new EtcdSettings(this.engines.namespace, SESSION, Duration.ofSeconds(10), Duration.ofMinutes(5)),
				() -> System.nanoTime() + this.ahead.get()));
	}

}
