package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link EtcdLockEngine} on a cluster of three that loses members.
 */
@Tag("full")
class EtcdClusterIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private final EtcdEngines engines = new EtcdEngines();

	private List<EtcdTestServer> members;

	@BeforeEach
	void startCluster() {
		this.members = EtcdTestServer.cluster(3);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
		this.members.forEach(EtcdTestServer::close);
	}

	/** It is the member in use, too, and a new leader proves the renewal. */
	@Fault(157)
	@Test
	void lockSurvivesTheLossOfTheLeader() {
		EtcdTestServer leader = EtcdOperator.awaitMember(this.members, true);
		List<EtcdTestServer> others = this.members.stream().filter((member) -> member != leader).toList();
		EtcdLockEngine engine = engine(List.of(leader, others.get(0), others.get(1)));
		LockService service = this.engines.service(engine);
		HeldLock held = service.acquire(KEY.value());
		Claim claim = this.engines.claim(new LockKey("renewed"));
		Granted granted = EtcdEngines.granted(engine, claim);
		leader.kill();
		EtcdEngines.eventually().until(() -> isRenewed(engine, claim, granted));
		EtcdEngines.eventually().ignoreExceptions().until(() -> service.tryAcquire("another").isPresent());
		EtcdLockEngine other = engine(others);
		EtcdEngines.eventually().ignoreExceptions().until(() -> other.inspect(KEY).size() == 1);
		assertThat(held.isValid()).isTrue();
		held.close();
		assertThat(this.engines.events).noneMatch(LockEvent.HoldLost.class::isInstance);
		EtcdEngines.eventually().ignoreExceptions().until(() -> other.inspect(KEY).isEmpty());
	}

	/** Without a leader, the outcome is unknown; the lock is never reported as lost. */
	private static boolean isRenewed(EtcdLockEngine engine, Claim claim, Granted granted) {
		RenewalOutcome outcome = EtcdEngines.renew(engine, claim, granted);
		assertThat(outcome).isNotInstanceOf(RenewalOutcome.NotOwner.class);
		return outcome instanceof RenewalOutcome.Renewed renewed && renewed.validUntil() - granted.validUntil() > 0;
	}

	/** Reported within the session timeout, and served again when there is a quorum. */
	@Fault(157)
	@Test
	void lockIsLostWithinTheSessionTimeoutWithoutAQuorum() {
		Duration session = Duration.ofSeconds(8);
		EtcdLockEngine engine = this.engines.engine(session, MonotonicClock.SYSTEM, urls(this.members));
		HeldLock held = this.engines.service(engine).acquire(KEY.value());
		CompletableFuture<LossCause> loss = new CompletableFuture<>();
		held.onLost((lost) -> loss.complete(lost.getLossCause()));
		this.members.subList(1, 3).forEach(EtcdTestServer::kill);
		long latest = System.nanoTime() + session.toNanos();
		EtcdEngines.eventually().until(() -> endsBy(held, latest));
		assertThat(loss.join()).isEqualTo(LossCause.EXPIRED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		this.members.subList(1, 3).forEach(EtcdTestServer::run);
		Claim next = this.engines.claim(KEY);
		EtcdEngines.eventually().ignoreExceptions().until(() -> engine.tryAcquire(next) instanceof Granted);
	}

	/**
	 * Return whether the lock's validity is over. Its end is compared with the latest
	 * one, whenever it is read: the last proven keep-alive was sent before the kill.
	 */
	private static boolean endsBy(HeldLock held, long latest) {
		long now = System.nanoTime();
		Duration remaining = held.remaining();
		if (!remaining.isZero()) {
			assertThat(now + remaining.toNanos() - latest).isNegative();
		}
		return remaining.isZero();
	}

	/** The watch begins at a revision that all members have forgotten meanwhile. */
	@Fault(156)
	@Test
	void waiterIsServedAfterACompaction() throws Exception {
		EtcdLockEngine engine = engine(this.members.subList(0, 1));
		EtcdLockEngine other = engine(this.members.subList(1, 2));
		Claim holder = this.engines.claim(KEY);
		EtcdEngines.granted(other, holder);
		Claim waiting = Claims.waiting(this.engines.claim(KEY));
		assertThat(engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		other.release(holder);
		Claim last = this.engines.claim(new LockKey("another"));
		long revision = EtcdEngines.granted(other, last).number();
		other.release(last);
		EtcdOperator.compact(this.members.get(1).url(), revision);
		// A linearizable read: the member of the waiter has compacted its history, too
		new EtcdOperator(this.members.get(0).url()).revision();
		AtomicInteger signals = new AtomicInteger();
		this.engines.open(engine.subscribe(waiting, (signal) -> signals.incrementAndGet()));
		EtcdEngines.eventually().until(() -> signals.get() > 0);
		EtcdEngines.granted(engine, waiting);
	}

	/** A leader that hangs holds its requests; other members do not. */
	@Fault(157)
	@Test
	void frozenMemberIsLeftForAnother() {
		EtcdTestServer first = this.members.get(0);
		EtcdLockEngine engine = engine(this.members);
		Claim claim = this.engines.claim(KEY);
		Granted granted = EtcdEngines.granted(engine, claim);
		first.signal("STOP");
		EtcdEngines.eventually()
			.until(() -> EtcdEngines.renew(engine, claim, granted) instanceof RenewalOutcome.Renewed);
		first.signal("CONT");
		EtcdEngines.eventually()
			.until(() -> EtcdEngines.renew(engine, claim, granted) instanceof RenewalOutcome.Renewed);
	}

	/** Each request goes to the next member, so a keep-alive and its read never meet. */
	@Fault(152)
	@Test
	void locksAreRenewedBehindALoadBalancer() {
		EtcdRelay balancer = this.engines.open(new EtcdRelay(urls(this.members)));
		EtcdLockEngine engine = this.engines.engine(balancer.url());
		Claim claim = this.engines.claim(KEY);
		Granted granted = EtcdEngines.granted(engine, claim);
		List<RenewalOutcome> outcomes = IntStream.range(0, 8)
			.mapToObj((i) -> EtcdEngines.renew(engine, claim, granted))
			.toList();
		assertThat(outcomes).filteredOn(RenewalOutcome.Renewed.class::isInstance)
			.as("all but those of an election")
			.hasSizeGreaterThan(5);
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	private EtcdLockEngine engine(List<EtcdTestServer> reached) {
		return this.engines.engine(urls(reached));
	}

	private static String[] urls(List<EtcdTestServer> reached) {
		return reached.stream().map(EtcdTestServer::url).toArray(String[]::new);
	}

}
