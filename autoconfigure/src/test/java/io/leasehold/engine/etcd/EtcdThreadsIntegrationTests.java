package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link EtcdLockEngine} in a process that can create no thread for a moment, while its
 * connections break.
 */
class EtcdThreadsIntegrationTests {

	private final EtcdEngines engines = new EtcdEngines();

	private final FaultProxy proxy = this.engines.proxy();

	private final EtcdOperator operator = new EtcdOperator(EtcdTestServer.shared().url());

	private final AtomicInteger refused = new AtomicInteger();

	private volatile boolean exhausted;

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	@Fault(185)
	@Test
	void momentWithoutAThreadEndsNeitherRenewalsNorNotifications() {
		EtcdLockEngine engine = engine();
		EtcdLockEngine other = this.engines.engine(EtcdTestServer.shared().url());
		Claim claim = this.engines.claim(new LockKey("held"));
		Granted granted = EtcdEngines.granted(engine, claim);
		Claim holder = this.engines.claim(new LockKey("awaited"));
		EtcdEngines.granted(other, holder);
		Claim waiting = Claims.waiting(this.engines.claim(new LockKey("awaited")));
		assertThat(engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		AtomicInteger signals = new AtomicInteger();
		this.engines.open(engine.subscribe(waiting, (signal) -> signals.incrementAndGet()));
		this.exhausted = true;
		this.proxy.refuse();
		this.proxy.reset();
		EtcdEngines.eventually().alias("threads refused").until(() -> this.refused.get() > 2);
		this.exhausted = false;
		this.proxy.heal();
		EtcdEngines.eventually()
			.alias("renewed")
			.until(() -> EtcdEngines.renew(engine, claim, granted) instanceof RenewalOutcome.Renewed);
		EtcdEngines.eventually().ignoreException(LockEngineException.class).until(() -> {
			engine.tryAcquire(waiting); // the poll that opens the watch again
			return other.release(holder) != null;
		});
		EtcdEngines.eventually().alias("notified of its turn").until(() -> signals.get() > 0);
		EtcdEngines.granted(engine, waiting);
		this.operator.revoke(this.operator.read(this.engines.keys.claims(new LockKey("held"))).get(0).lease());
		EtcdEngines.eventually().alias("notified of the loss").until(() -> engine.inDoubt(claim));
	}

	/** Return an engine that keeps no idle thread, so that it always needs new ones. */
	private EtcdLockEngine engine() {
		ThreadPoolExecutor threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 0, TimeUnit.SECONDS,
				new SynchronousQueue<>(), (task) -> {
					if (this.exhausted) {
						this.refused.incrementAndGet();
						throw new OutOfMemoryError("unable to create native thread");
					}
					return new Thread(task);
				});
		Duration callTimeout = Duration.ofSeconds(5);
		EtcdConnection connection = EtcdEngines.connection(EtcdEngines.url(this.proxy));
		Store store = connection
			.connect((member) -> connection.channel(member, callTimeout).offloadExecutor(threads).build());
		return this.engines.open(new EtcdLockEngine(store,
				new EtcdSettings(this.engines.namespace, Duration.ofMinutes(2), callTimeout, Duration.ofMinutes(5)),
				MonotonicClock.SYSTEM));
	}

}
