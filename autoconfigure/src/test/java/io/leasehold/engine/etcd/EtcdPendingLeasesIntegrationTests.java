package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockTerms;
import io.leasehold.engine.Claim;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.Member;
import io.leasehold.server.EtcdTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Long leases of single keys, if responses are lost: none stays without a key. The clock
 * of the engine runs ahead on command.
 */
class EtcdPendingLeasesIntegrationTests {

	private static final LockKey KEY = new LockKey("report");

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration LONG = Duration.ofDays(365);

	private final EtcdEngines engines = new EtcdEngines();

	private final String url = EtcdTestServer.shared().url();

	private final EtcdOperator operator = new EtcdOperator(this.url);

	private final AtomicLong ahead = new AtomicLong();

	private final List<Long> leases = new CopyOnWriteArrayList<>();

	private EtcdRelay relay;

	private EtcdLockEngine engine;

	@BeforeEach
	void connect() {
		this.relay = this.engines.open(new EtcdRelay(this.url));
		this.engine = this.engines.engine(Duration.ofHours(1), () -> System.nanoTime() + this.ahead.get(),
				this.relay.url());
		Claim first = this.engines.claim(new LockKey("session"), new LockTerms(LEASE, Duration.ZERO));
		EtcdEngines.granted(this.engine, first);
		this.engine.release(first);
		recordLeases();
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	@Test
	void leaseWhoseResponseIsLostIsCreatedOnce() {
		keep();
		this.relay.change(Rpc.GRANT, (response) -> {
			this.leases.add(response.number(2));
			return EtcdRelay.lose(response);
		});
		assertThat(replace()).isNotNull();
		assertThat(this.leases).containsExactly(key().lease());
		assertThat(EtcdOperator.secondsLeft(this.url, key().lease())).isGreaterThan(LONG.minusDays(1).toSeconds());
	}

	@Test
	void leaseOfAPauseThatWasNotExecutedIsRevoked() {
		keep();
		KeyValue before = key();
		this.relay.before(Rpc.TXN, EtcdPendingLeasesIntegrationTests::fail);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(this::replace);
		long unused = this.leases.get(0);
		assertThat(EtcdOperator.secondsLeft(this.url, unused)).isPositive();
		respond();
		runAhead();
		EtcdEngines.eventually().until(() -> EtcdOperator.secondsLeft(this.url, unused) < 0);
		assertThat(key()).isEqualTo(before);
	}

	/** Only its response was lost. */
	@Test
	void leaseOfAPauseThatWasExecutedStays() {
		keep();
		this.relay.change(Rpc.TXN, EtcdRelay::lose);
		this.relay.before(Rpc.TXN, () -> {
			if (!this.leases.isEmpty() && key().lease() == this.leases.get(0)) {
				fail(); // the repetition has no response at all
			}
		});
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(this::replace);
		assertThat(key().lease()).isEqualTo(this.leases.get(0));
		respond();
		int requests = this.relay.requests(Rpc.TIME_TO_LIVE);
		runAhead();
		EtcdEngines.eventually().until(() -> this.relay.requests(Rpc.TIME_TO_LIVE) >= requests + 2);
		// It is still used
		EtcdEngines.granted(this.engine, this.engines.claim(new LockKey("other")));
		assertThat(key().lease()).isEqualTo(this.leases.get(0));
		assertThat(this.engine.keptKeys().find(KEY).last().thread()).isEqualTo("operator");
	}

	@Test
	void leaseOfAGrantThatWasNotExecutedIsRevoked() {
		this.relay.change(Rpc.GRANT, (response) -> {
			this.leases.add(response.number(2));
			this.relay.before(Rpc.TXN, EtcdPendingLeasesIntegrationTests::fail);
			return response;
		});
		Claim claim = claim();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.tryAcquire(claim));
		respond();
		this.engine.release(claim);
		runAhead();
		EtcdEngines.eventually().until(() -> EtcdOperator.secondsLeft(this.url, this.leases.get(0)) < 0);
		assertThat(this.operator.keys(this.engines.keys.claims(KEY))).isEmpty();
	}

	/** A release that has no response, either. */
	@Test
	void leaseThatCouldNotBeRevokedIsRevokedLater() {
		keep();
		long lease = key().lease();
		this.relay.before(Rpc.REVOKE, EtcdPendingLeasesIntegrationTests::fail);
		assertThat(this.engine.keptKeys().open(KEY)).isNotNull();
		assertThat(EtcdOperator.secondsLeft(this.url, lease)).isPositive();
		respond();
		runAhead();
		EtcdEngines.eventually().until(() -> EtcdOperator.secondsLeft(this.url, lease) < 0);
	}

	private void keep() {
		Claim claim = claim();
		EtcdEngines.granted(this.engine, claim);
		this.engine.release(claim);
		this.leases.clear();
	}

	private KeptKeys.Kept replace() {
		return this.engine.keptKeys().replace(KEY, Member.of("office").newOwner("operator"), LONG);
	}

	private KeyValue key() {
		return this.operator.read(this.engines.keys.claims(KEY)).get(0);
	}

	private Claim claim() {
		return this.engines.claim(KEY, new LockTerms(LEASE, LONG));
	}

	private void recordLeases() {
		this.relay.change(Rpc.GRANT, (response) -> {
			this.leases.add(response.number(2));
			return response;
		});
	}

	private void respond() {
		Runnable nothing = () -> {
		};
		this.relay.changeNothing();
		this.relay.before(Rpc.TXN, nothing);
		this.relay.before(Rpc.REVOKE, nothing);
	}

	/** No request from before is executed any more. */
	private void runAhead() {
		this.ahead.set(Duration.ofMinutes(6).toNanos());
	}

	private static void fail() {
		throw new IllegalStateException("no response");
	}

}
