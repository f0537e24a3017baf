package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.HeldKeys.HeldKey;
import io.leasehold.engine.Holder;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.Claims;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.DELETE;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.WRITE;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.eventually;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Times that operators see, and the writes that show them. The clock of the engine moves
 * only when a test moves it; the times are those of the server.
 */
@Tag("full")
class ZooKeeperShownTimesIntegrationTests {

	private static final Duration UNSHOWN = Duration.ofSeconds(1);

	private final LockKey key = new LockKey("since:" + UUID.randomUUID());

	private final ManualClock clock = new ManualClock();

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final CuratorFramework client = this.engines.client(ZooKeeperTestServer.shared(), 60_000);

	private final ZooKeeperLockEngine engine = this.engines.engine(this.client, this.clock);

	private final ZooKeeperLockEngine other = this.engines
		.patientEngine(this.engines.client(ZooKeeperTestServer.shared(), 60_000));

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	/** The process has just used another key, so that its turn needs no request. */
	@ParameterizedTest
	@ValueSource(longs = { 0, 1 })
	void grantWithoutARequestIsWrittenOnlyAfterALongWait(long longer) throws Exception {
		Claim first = this.engines.claim(this.key);
		granted(this.other, first);
		Claim waiting = Claims.waiting(this.engines.claim(this.key));
		LinkedBlockingQueue<Signal> signals = busy(waiting);
		this.clock.advance(UNSHOWN.plusNanos(longer));
		this.engines.useOnce(this.engine, new LockKey(this.key + ":other"));
		Queue<String> requests = this.engines.requests(this.client);
		Instant before = now();
		this.other.release(first);
		assertThat(signals.poll(1, TimeUnit.MINUTES)).isInstanceOf(Signal.Pushed.class);
		if (longer > 0) {
			eventually().untilAsserted(() -> assertThat(holder().since()).isAfterOrEqualTo(before));
			this.engine.release(waiting);
			assertThat(requests).containsExactly(WRITE, DELETE);
		}
		else {
			this.engine.release(waiting);
			assertThat(requests).containsExactly(DELETE);
		}
	}

	/** A renewal writes the node of a grant that lingers. */
	@Test
	void renewalDoesNotChangeTheTimeOfAGrant() {
		Instant before = now();
		Claim claim = this.engines.lingering(this.key);
		Granted granted = granted(this.engine, claim);
		Holder holder = holder();
		assertThat(holder.since()).isAfterOrEqualTo(before);
		assertThat(holder.lingers()).isTrue();
		this.clock.advance(Duration.ofSeconds(9));
		assertThat(ZooKeeperEngines.renew(this.engine, claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(holder().number()).isEqualTo(granted.number());
		assertThat(holder().lingers()).isFalse();
		assertThat(holder().since()).isBetween(before.minusSeconds(9), now().minusSeconds(9));
		this.engine.release(claim);
	}

	/**
	 * Its node is written when a node before it is removed, which may not be the last.
	 */
	@Test
	void waiterIsShownSinceItsRequest() throws Exception {
		Claim first = this.engines.claim(this.key);
		granted(this.other, first);
		Claim second = Claims.waiting(this.engines.claim(this.key));
		assertThat(this.other.tryAcquire(second)).isInstanceOf(Busy.class);
		Claim waiting = Claims.waiting(this.engines.claim(this.key));
		LinkedBlockingQueue<Signal> signals = busy(waiting);
		Instant requested = now();
		this.clock.advance(UNSHOWN);
		Queue<String> requests = this.engines.requests(this.client);
		this.other.release(second);
		assertThat(signals.poll(1, TimeUnit.MINUTES)).isEqualTo(new Signal.Retry());
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		assertThat(requests).contains(WRITE);
		List<HeldKey> awaited = this.other.heldKeys().listAwaited(null, Integer.MAX_VALUE).keys();
		assertThat(awaited).filteredOn((held) -> held.key().equals(this.key))
			.singleElement()
			.satisfies((held) -> assertThat(held.waiters()).singleElement()
				.satisfies((waiter) -> assertThat(waiter.since()).isBeforeOrEqualTo(requested)));
		this.engine.release(waiting);
		this.other.release(first);
	}

	private LinkedBlockingQueue<Signal> busy(Claim claim) {
		LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
		assertThat(this.engine.tryAcquire(claim)).isInstanceOf(Busy.class);
		this.engine.subscribe(claim, signals::add);
		return signals;
	}

	private Holder holder() {
		return this.other.inspect(this.key).get(0);
	}

	/**
	 * Return a time that the server has shown, to compare with earlier and later ones.
	 */
	private Instant now() {
		LockKey moment = new LockKey(this.key + ":moment");
		Claim claim = this.engines.claim(moment);
		granted(this.other, claim);
		Instant since = this.other.inspect(moment).get(0).since();
		this.other.release(claim);
		return since;
	}

}
