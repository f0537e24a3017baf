package io.leasehold.engine.hazelcast;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import com.hazelcast.core.HazelcastInstance;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.server.HazelcastTestCluster;
import io.leasehold.test.contract.Claims;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Waiters of {@link HazelcastStore} that are notified by the entry listener of their key.
 */
@Tag("full")
class HazelcastWakeUpIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private final HazelcastInstance cluster = HazelcastTestCluster.shared();

	private final Member member = Member.of("test");

	@Test
	void releaseNotifiesAWaiterAtAMember() throws Exception {
		releaseNotifiesAWaiterAt(this.cluster);
	}

	@Test
	void releaseNotifiesAWaiterAtAClient() throws Exception {
		HazelcastInstance client = HazelcastTestCluster.client(this.cluster.getConfig().getClusterName(),
				HazelcastTestCluster.port(this.cluster));
		try {
			releaseNotifiesAWaiterAt(client);
		}
		finally {
			client.shutdown();
		}
	}

	private void releaseNotifiesAWaiterAt(HazelcastInstance instance) throws Exception {
		BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
		String namespace = "wake-up-" + UUID.randomUUID();
		try (CasLockEngine holder = engine(namespace, this.cluster);
				CasLockEngine waiter = engine(namespace, instance)) {
			Claim held = claim();
			assertThat(holder.tryAcquire(held)).isInstanceOf(Granted.class);
			Claim waiting = Claims.waiting(claim());
			assertThat(waiter.tryAcquire(waiting)).isInstanceOf(Busy.class);
			Subscription subscription = waiter.subscribe(waiting, signals::add);
			assertThat(signals).as("of a key that is busy").isEmpty();
			assertThat(holder.release(held)).isInstanceOf(ReleaseOutcome.Released.class);
			assertThat(signals.poll(60, TimeUnit.SECONDS)).isInstanceOf(Signal.Retry.class);
			assertThat(waiter.tryAcquire(waiting)).isInstanceOf(Granted.class);
			subscription.close();
			waiter.release(waiting);
		}
	}

	private static CasLockEngine engine(String namespace, HazelcastInstance instance) {
		return HazelcastEngines.open(namespace, HazelcastEngines.store(instance), MonotonicClock.SYSTEM);
	}

	private Claim claim() {
		return new Claim(KEY, this.member.newOwner(), Duration.ofMinutes(10), Duration.ZERO, false, System.nanoTime());
	}

}
