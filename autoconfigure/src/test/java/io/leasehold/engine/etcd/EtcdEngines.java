package io.leasehold.engine.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.LockTerms;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.FaultProxy;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.Terms;
import io.leasehold.test.contract.TestSettings;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Engines, proxies and services of one test, all closed at its end.
 */
final class EtcdEngines {

	/** Longer than any pause of a busy machine. */
	static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);

	/** No session ends by itself within a test. */
	private static final Duration SESSION_TIMEOUT = Duration.ofMinutes(2);

	final String namespace = "faults-" + UUID.randomUUID();

	final EtcdKeys keys = new EtcdKeys(this.namespace);

	final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final Member member = Member.of("faults");

	EtcdEngines() {
		warmUp();
	}

	/** The first request of a JVM may take longer than a call on a busy machine. */
	static void warmUp() {
		new EtcdOperator(EtcdTestServer.shared().url()).revision();
	}

	FaultProxy proxy() {
		return open(FaultProxy.to(EtcdTestServer.shared().port()));
	}

	static String url(FaultProxy proxy) {
		return "http://127.0.0.1:" + proxy.port();
	}

	EtcdLockEngine engine(String... urls) {
		return engine(SESSION_TIMEOUT, MonotonicClock.SYSTEM, urls);
	}

	EtcdLockEngine engine(Duration sessionTimeout, MonotonicClock clock, String... urls) {
		return engine(sessionTimeout, callTimeout(sessionTimeout), clock, urls);
	}

	/** Open an engine that polls so rarely that only signals are in time. */
	EtcdLockEngine engine(Duration sessionTimeout, Duration callTimeout, MonotonicClock clock, String... urls) {
		return open(new EtcdLockEngine(connection(urls),
				new EtcdSettings(this.namespace, sessionTimeout, callTimeout, Duration.ofMinutes(5)), clock));
	}

	/** Return the longest call timeout for a session. */
	static Duration callTimeout(Duration sessionTimeout) {
		Duration longest = sessionTimeout.multipliedBy(3).dividedBy(8);
		return (longest.compareTo(CALL_TIMEOUT) < 0) ? longest : CALL_TIMEOUT;
	}

	static EtcdConnection connection(String... urls) {
		return new EtcdConnection(Arrays.stream(urls).map(URI::create).toList(), null, null, null);
	}

	/** Connections that belong to no engine. */
	static Channels channels() {
		return new Channels((member) -> connection(member.toString()).channel(member, CALL_TIMEOUT).build());
	}

	LockService service(EtcdLockEngine engine) {
		return service(engine, Duration.ofSeconds(60));
	}

	LockService service(EtcdLockEngine engine, Duration lease) {
		LockOptions defaults = new LockOptions("faults", engine.name(), lease, Duration.ofSeconds(30), Duration.ZERO,
				LockOptions.UNLIMITED);
		return open(new LockService(TestSettings.of(defaults), List.of(engine), this.member, MonotonicClock.SYSTEM,
				List.of(this.events::add), ReleaseTiming.IMMEDIATE));
	}

	/** A claim with a lease that outlasts every session of a test. */
	Claim claim(LockKey key) {
		return claim(key, Access.EXCLUSIVE, Duration.ofSeconds(60));
	}

	Claim claim(LockKey key, Access access, Duration lease) {
		return claim(key, Terms.of(access, lease, Duration.ZERO, Duration.ZERO));
	}

	Claim claim(LockKey key, LockTerms terms) {
		return new Claim(key, this.member.newOwner(), terms, false, System.nanoTime());
	}

	<T extends AutoCloseable> T open(T resource) {
		this.opened.add(resource);
		return resource;
	}

	static Granted granted(EtcdLockEngine engine, Claim claim) {
		AcquisitionOutcome outcome = engine.tryAcquire(claim);
		assertThat(outcome).isInstanceOf(Granted.class);
		return (Granted) outcome;
	}

	static RenewalOutcome renew(EtcdLockEngine engine, Claim claim, Granted granted) {
		return engine.renew(List.of(new Renewal(claim, granted.number(), claim.lease()))).get(0);
	}

	/**
	 * Repeat a request until it has a response, as the service does: after a fault, a
	 * connection may break once more.
	 */
	static <T> T repeated(Callable<T> request) {
		return eventually().ignoreException(LockEngineException.class).until(request, (response) -> true);
	}

	static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(10));
	}

	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

}
