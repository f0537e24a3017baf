package io.leasehold.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.Set;

import com.hazelcast.cluster.MembershipAdapter;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.map.IMap;
import io.leasehold.engine.hazelcast.HazelcastStore;
import io.leasehold.server.HazelcastTestCluster;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of two members of Hazelcast, in the JVM of the test, which splits again and
 * again. Thread-safe.
 */
final class SoakHazelcast implements AutoCloseable {

	static final String MAP = "leasehold-locks";

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final HazelcastTestCluster cluster = new HazelcastTestCluster(Stores.NAMESPACE);

	private final List<HazelcastInstance> members = List.of(this.cluster.member(), this.cluster.member());

	private final List<Exemption> splits = new ArrayList<>();

	/** Begin of the split that has not ended. */
	private @Nullable Long begin;

	SoakHazelcast() {
		for (HazelcastInstance member : this.members) {
			member.getCluster().addMembershipListener(new MembershipAdapter() {

				@Override
				public void memberRemoved(MembershipEvent event) {
					begin();
				}

			});
			member.getLifecycleService().addLifecycleListener(this::changed);
		}
	}

	/** Locks may be granted in both parts a little before this is known. */
	private synchronized void begin() {
		if (this.begin == null) {
			this.begin = System.nanoTime() - SoakEngines.LEASE.toNanos();
		}
	}

	/** The holder of a lock that did not survive learns of it within a lease. */
	private synchronized void changed(LifecycleEvent event) {
		if (event.getState() == LifecycleState.MERGED && this.begin != null) {
			this.splits.add(exemption(this.begin, SoakEngines.LEASE.multipliedBy(2)));
			this.begin = null;
		}
	}

	private synchronized boolean isSplit() {
		return this.begin != null;
	}

	private static Exemption exemption(long begin, Duration more) {
		return new Exemption(begin, System.nanoTime() + more.toNanos(), Set.copyOf(Holder.KEYS));
	}

	/** Return all splits, those included that nobody caused. */
	synchronized List<Exemption> splits() {
		List<Exemption> all = new ArrayList<>(this.splits);
		if (this.begin != null) {
			all.add(exemption(this.begin, PATIENCE));
		}
		return all;
	}

	/** Split the cluster in two for a while. */
	void split(Random random) throws InterruptedException {
		this.cluster.split();
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> isSplit() && this.members.stream().allMatch(SoakHazelcast::isAlone));
		Thread.sleep(random.nextInt(5000));
		this.cluster.heal();
		Awaitility.await().atMost(PATIENCE).until(() -> !isSplit());
	}

	private static boolean isAlone(HazelcastInstance member) {
		return member.getCluster().getMembers().size() == 1;
	}

	/** Return the ports at which members reach each other. */
	List<Integer> members() {
		return this.members.stream().map(HazelcastTestCluster::port).toList();
	}

	/** Return the ports for clients, which a split does not concern. */
	List<Integer> ports() {
		return this.members.stream().map((member) -> member.getConfig().getNetworkConfig().getPort()).toList();
	}

	/** A value whose life has ended counts as absent, as to {@link HazelcastStore}. */
	Collection<String> residue() {
		IMap<String, String> map = this.members.get(0).getMap(MAP);
		return map.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().matches("(?s).*\\n(hold|wait) .*"))
			.filter((entry) -> isAlive(map, entry.getValue()))
			.map(Object::toString)
			.toList();
	}

	/** A value without a life ends with its entry. */
	private static boolean isAlive(IMap<String, String> map, String value) {
		String life = value.substring(0, value.indexOf('\n'));
		return life.isEmpty() || map.containsKey(life);
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
