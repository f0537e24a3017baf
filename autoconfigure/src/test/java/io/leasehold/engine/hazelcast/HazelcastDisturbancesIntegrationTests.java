package io.leasehold.engine.hazelcast;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import com.hazelcast.core.HazelcastInstance;
import io.leasehold.engine.DisturbanceContract;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.cas.BoundedStore;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.engine.cas.CasSettings;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.HazelcastTestCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Disturbances of a member, to which the disturbed process is connected as a client.
 */
@Tag("full")
class HazelcastDisturbancesIntegrationTests extends DisturbanceContract {

	private final HazelcastTestCluster cluster = new HazelcastTestCluster();

	private final HazelcastInstance member = this.cluster.member();

	private final HazelcastInstance client = HazelcastTestCluster.client(this.member.getConfig().getClusterName(),
			HazelcastTestCluster.port(this.member));

	@AfterAll
	void stop() {
		this.client.shutdown();
		this.cluster.close();
	}

	@Override
	protected Stream<Disturbance> disturbances() {
		FaultProxy network = this.cluster.networks().get(0);
		return Stream.of(
				new Disturbance("hangs", false, 3, (namespace) -> network.blackHole(), (namespace) -> network.heal()),
				new Disturbance("emptied", true, 20, this::empty, (namespace) -> {
				}));
	}

	@Override
	protected List<FaultProxy> networks() {
		return this.cluster.networks();
	}

	@Override
	protected LockEngine open(String namespace, Member owner, boolean disturbed) {
		Duration timeout = Duration.ofSeconds(1);
		CasSettings settings = new CasSettings(namespace, timeout, Duration.ofMillis(5), Duration.ofMillis(100),
				HazelcastEngines.RETENTION);
		return new CasLockEngine(
				HazelcastStore.NAME, new BoundedStore(HazelcastStore.NAME,
						HazelcastEngines.store(disturbed ? this.client : this.member), timeout),
				settings, MonotonicClock.SYSTEM);
	}

	@Override
	protected void empty(String namespace) {
		this.member.getMap(HazelcastEngines.MAP).clear();
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return HazelcastEngines.residue(this.member, namespace);
	}

}
