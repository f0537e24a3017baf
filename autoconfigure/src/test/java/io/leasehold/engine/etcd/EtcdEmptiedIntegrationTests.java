package io.leasehold.engine.etcd;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.grpc.MethodDescriptor;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link EtcdLockEngine} whose keys are lost before any one of its requests, and another
 * process acquires the lock then.
 */
class EtcdEmptiedIntegrationTests {

	/** Held by the other process, whose session stays. */
	private static final LockKey KEPT = new LockKey("kept");

	private static final List<MethodDescriptor<?, ?>> METHODS = List.of(Rpc.TXN, Rpc.RANGE, Rpc.GRANT, Rpc.KEEP_ALIVE);

	private final EtcdEngines engines = new EtcdEngines();

	private final String url = EtcdTestServer.shared().url();

	private final EtcdOperator operator = new EtcdOperator(this.url);

	private final EtcdLockEngine other = this.engines.engine(this.url);

	private final EtcdRelay relay = this.engines.open(new EtcdRelay(this.url));

	private final AtomicInteger requestsLeft = new AtomicInteger();

	private final Queue<Granted> next = new ConcurrentLinkedQueue<>();

	@BeforeEach
	void begin() {
		EtcdEngines.granted(this.other, this.engines.claim(KEPT));
	}

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	@Fault(153)
	@Test
	void nextOwnerKeepsItsLockWhicheverRequestOfTheFormerFollows() throws Exception {
		int request = 1;
		while (isEmptiedBefore(request)) {
			request++;
		}
		assertThat(request).as("requests of an acquisition, two renewals and a release").isGreaterThan(7);
	}

	/** Return whether the store was emptied, because there were so many requests. */
	private boolean isEmptiedBefore(int request) throws Exception {
		LockKey key = new LockKey("order:" + request);
		Claim claim = this.engines.claim(key);
		Claim nextClaim = this.engines.claim(key);
		try (EtcdLockEngine former = this.engines.engine(this.relay.url())) {
			for (MethodDescriptor<?, ?> method : METHODS) {
				this.relay.before(method, () -> emptyIfDue(nextClaim));
			}
			this.requestsLeft.set(request);
			if (acquire(former, claim) instanceof Granted granted) {
				EtcdEngines.renew(former, claim, granted);
				boolean renewed = EtcdEngines.renew(former, claim, granted) instanceof RenewalOutcome.Renewed;
				assertThat(renewed && !this.next.isEmpty()).as("both own it, emptied before request %d", request)
					.isFalse();
			}
			former.release(claim);
		}
		boolean emptied = this.requestsLeft.getAndSet(0) <= 0;
		Granted granted = this.next.poll();
		if (granted != null) {
			assertThat(EtcdEngines.renew(this.other, nextClaim, granted)).as("next owner")
				.isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(this.other.release(nextClaim)).isInstanceOf(ReleaseOutcome.Released.class);
		}
		assertThat(this.operator.keys(this.engines.keys.claims(key))).isEmpty();
		return emptied;
	}

	/** A request that meets the end of its session may be repeated. */
	private static AcquisitionOutcome acquire(EtcdLockEngine engine, Claim claim) {
		try {
			return engine.tryAcquire(claim);
		}
		catch (LockEngineException ex) {
			return engine.tryAcquire(claim);
		}
	}

	private void emptyIfDue(Claim nextClaim) {
		if (this.requestsLeft.decrementAndGet() == 0) {
			long kept = this.operator.read(this.engines.keys.claims(KEPT)).get(0).lease();
			this.operator.read(this.engines.keys.session(0).replaceFirst("[^/]*$", ""))
				.stream()
				.map(KeyValue::lease)
				.filter((lease) -> lease != kept)
				.forEach(this.operator::revoke);
			if (this.other.tryAcquire(nextClaim) instanceof Granted granted) {
				this.next.add(granted);
			}
		}
	}

}
