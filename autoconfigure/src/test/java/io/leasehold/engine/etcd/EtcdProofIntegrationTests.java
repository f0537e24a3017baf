package io.leasehold.engine.etcd;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import com.sun.net.httpserver.HttpServer;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockTerms;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What {@link EtcdLockEngine} takes as a proof that its locks are still held.
 */
class EtcdProofIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private final EtcdEngines engines = new EtcdEngines();

	private final EtcdOperator operator = new EtcdOperator(EtcdTestServer.shared().url());

	private EtcdRelay relay;

	private EtcdLockEngine engine;

	private Claim claim;

	private Granted granted;

	@BeforeEach
	void acquire() {
		this.relay = this.engines.open(new EtcdRelay(EtcdTestServer.shared().url()));
		this.engine = this.engines.engine(Duration.ofMinutes(5), MonotonicClock.SYSTEM, this.relay.url());
		this.claim = this.engines.claim(KEY);
		this.granted = EtcdEngines.granted(this.engine, this.claim);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	/** A leader of another term extended the lease: it may have had no followers. */
	@Fault(152)
	@Test
	void keepAliveOfAnotherTermProvesNothing() {
		this.relay.change(Rpc.KEEP_ALIVE, (body) -> body.with(1, body.message(1).with(4, 1)));
		assertThat(renew()).isInstanceOf(RenewalOutcome.Unknown.class);
		this.relay.changeNothing();
		assertThat(renew()).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	/**
	 * A load balancer sent the two requests to different members. A term has one leader,
	 * which extended the lease and was still in office at the read.
	 */
	@Fault(152)
	@Test
	void keepAliveOfAnotherMemberInTheSameTermIsAProof() {
		this.relay.change(Rpc.KEEP_ALIVE, (body) -> body.with(1, body.message(1).with(2, 1)));
		assertThat(renew()).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Fault(152)
	@Test
	void keepAliveOfAnotherClusterProvesNothing() {
		this.relay.change(Rpc.KEEP_ALIVE, (body) -> body.with(1, body.message(1).with(1, 1)));
		assertThat(renew()).isInstanceOf(RenewalOutcome.Unknown.class);
	}

	/** The session is shorter than the lease, so only its start limits the validity. */
	@Fault(152)
	@Test
	void sessionCountsFromBeforeTheRequestsThatCreateAndKeepIt() {
		AtomicLong ahead = new AtomicLong();
		Duration session = Duration.ofMinutes(2);
		Duration slow = Duration.ofSeconds(20);
		EtcdLockEngine own = this.engines.engine(session, () -> System.nanoTime() + ahead.get(), this.relay.url());
		this.relay.change(Rpc.GRANT, (body) -> {
			ahead.addAndGet(slow.toNanos());
			return body;
		});
		Claim first = longClaim("first");
		long before = System.nanoTime();
		Granted grant = EtcdEngines.granted(own, first);
		assertThat(Duration.ofNanos(grant.validUntil() - before)).isLessThan(session.plus(slow.dividedBy(2)));
		this.relay.change(Rpc.KEEP_ALIVE, (body) -> {
			ahead.addAndGet(slow.toNanos());
			return body;
		});
		long renewing = System.nanoTime() + ahead.get();
		assertThat(EtcdEngines.renew(own, first, grant)).isInstanceOfSatisfying(RenewalOutcome.Renewed.class,
				(renewed) -> assertThat(Duration.ofNanos(renewed.validUntil() - renewing))
					.isLessThan(session.plus(slow.dividedBy(2))));
	}

	/** A new leader may not know the lease yet. */
	@Fault(152)
	@Test
	void leaseThatAMemberDoesNotKnowIsNoLoss() {
		this.relay.change(Rpc.KEEP_ALIVE, (body) -> body.with(3, 0));
		assertThat(renew()).isInstanceOf(RenewalOutcome.Unknown.class);
		assertThat(this.engine.inDoubt(this.claim)).isFalse();
		this.relay.changeNothing();
		assertThat(renew()).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Fault(152)
	@Test
	void keyThatTheReadDoesNotFindIsLostInEachCase() {
		this.relay.change(Rpc.KEEP_ALIVE, (body) -> body.with(1, body.message(1).with(4, 1)));
		this.operator.remove(this.operator.keys(this.engines.keys.claims(KEY)).get(0));
		assertThat(renew()).isInstanceOf(RenewalOutcome.NotOwner.class);
	}

	/** A grant would be valid for longer than the session is sure to exist. */
	@Fault(152)
	@Test
	void keepAliveThatProvesNothingDoesNotExtendTheSession() {
		AtomicLong ahead = new AtomicLong();
		Duration session = Duration.ofMinutes(5);
		EtcdLockEngine own = this.engines.engine(session, () -> System.nanoTime() + ahead.get(), this.relay.url());
		Claim first = longClaim("first");
		Granted grant = EtcdEngines.granted(own, first);
		this.relay.change(Rpc.KEEP_ALIVE, (body) -> body.with(1, body.message(1).with(4, 1)));
		long proven = System.nanoTime();
		ahead.set(Duration.ofMinutes(1).toNanos());
		assertThat(EtcdEngines.renew(own, first, grant)).isInstanceOf(RenewalOutcome.Unknown.class);
		Granted second = EtcdEngines.granted(own, longClaim("second"));
		assertThat(Duration.ofNanos(second.validUntil() - proven)).isLessThanOrEqualTo(session);
		this.relay.changeNothing();
		assertThat(EtcdEngines.renew(own, first, grant)).isInstanceOf(RenewalOutcome.Renewed.class);
		Granted third = EtcdEngines.granted(own, longClaim("third"));
		assertThat(Duration.ofNanos(third.validUntil() - proven)).isGreaterThan(session);
	}

	private Claim longClaim(String key) {
		return this.engines.claim(new LockKey(key), Access.EXCLUSIVE, Duration.ofMinutes(10));
	}

	/** The lease of a minimum hold counts as that of the session does. */
	@Fault(152)
	@Test
	void keepAliveOfAKeysOwnLeaseInAnotherTermProvesNothing() {
		LockKey key = new LockKey("kept");
		Claim kept = this.engines.claim(key, new LockTerms(Duration.ofMinutes(5), Duration.ofMinutes(1)));
		Granted grant = EtcdEngines.granted(this.engine, kept);
		long lease = this.operator.read(this.engines.keys.claims(key)).get(0).lease();
		this.relay.change(Rpc.KEEP_ALIVE,
				(body) -> (body.number(2) == lease) ? body.with(1, body.message(1).with(4, 1)) : body);
		assertThat(EtcdEngines.renew(this.engine, kept, grant)).isInstanceOf(RenewalOutcome.Unknown.class);
		this.relay.changeNothing();
		assertThat(EtcdEngines.renew(this.engine, kept, grant)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	/** One after another, they would take twice the call timeout. */
	@Test
	void keepAlivesOfManyLocksAreSentConcurrently() {
		Duration session = Duration.ofMinutes(5);
		Duration callTimeout = Duration.ofSeconds(6);
		EtcdLockEngine many = this.engines.engine(session, callTimeout, MonotonicClock.SYSTEM, this.relay.url());
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < 60; i++) {
			Claim kept = this.engines.claim(new LockKey("kept:" + i), new LockTerms(session, Duration.ofMinutes(1)));
			renewals.add(new Renewal(kept, EtcdEngines.granted(many, kept).number(), kept.lease()));
		}
		this.relay.change(Rpc.KEEP_ALIVE, (body) -> {
			LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
			return body;
		});
		EtcdEngines.eventually()
			.untilAsserted(() -> assertThat(many.renew(renewals)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class));
	}

	/** Fifteen whole seconds, although 14.7 were requested. */
	@Fault(53)
	@Test
	void leaseThatTheServerGrantedCounts() {
		EtcdLockEngine other = this.engines.engine(Duration.ofMillis(14_700), MonotonicClock.SYSTEM,
				EtcdTestServer.shared().url());
		long before = System.nanoTime();
		Granted grant = EtcdEngines.granted(other, this.engines.claim(new LockKey("another")));
		assertThat(Duration.ofNanos(grant.validUntil() - before)).isBetween(Duration.ofMillis(14_700),
				Duration.ofSeconds(15).plusNanos(System.nanoTime() - before));
	}

	@Test
	void serverThatIsNotEtcdIsReported() throws Exception {
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.start();
		this.engines.open(() -> server.stop(0));
		String url = "http://127.0.0.1:" + server.getAddress().getPort();
		EtcdLockEngine lost = this.engines.engine(url);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> lost.inspect(KEY))
			.withMessageContaining("etcd could not inspect lock 'order:42'")
			.withMessageContaining(url);
	}

	private RenewalOutcome renew() {
		return EtcdEngines.renew(this.engine, this.claim, this.granted);
	}

}
