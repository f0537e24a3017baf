package io.leasehold.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.NearCacheConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import org.awaitility.Awaitility;

/**
 * A cluster of Hazelcast members in this JVM, whose network can be cut. Each member is
 * behind a proxy.
 */
public final class HazelcastTestCluster implements AutoCloseable {

	private final String name;

	private final List<FaultProxy> networks = new ArrayList<>();

	private final List<HazelcastInstance> members = new ArrayList<>();

	public HazelcastTestCluster() {
		this("locks-" + UUID.randomUUID());
	}

	public HazelcastTestCluster(String name) {
		this.name = name;
	}

	/**
	 * Return the member that the tests of this JVM share. The names of some of its maps
	 * say what is configured for them, by a wildcard: {@code evicting-*}, {@code idle-*},
	 * {@code short-*}, {@code near-*}, {@code backup-*} and {@code plain-*}.
	 */
	public static HazelcastInstance shared() {
		return Shared.MEMBER;
	}

	/** Start a member, and wait until it has joined those before. */
	public HazelcastInstance member() {
		return member((config) -> {
		});
	}

	private HazelcastInstance member(Consumer<Config> more) {
		int port = Ports.free();
		FaultProxy network = FaultProxy.to(port);
		Config config = config(port);
		config.getNetworkConfig().setPublicAddress("127.0.0.1:" + network.port());
		JoinConfig join = config.getNetworkConfig().getJoin();
		this.networks.forEach((other) -> join.getTcpIpConfig().addMember("127.0.0.1:" + other.port()));
		join.getTcpIpConfig().addMember("127.0.0.1:" + network.port());
		this.networks.add(network);
		more.accept(config);
		HazelcastInstance member = Hazelcast.newHazelcastInstance(config);
		this.members.add(member);
		Awaitility.await()
			.atMost(ServerLimit.LIMIT)
			.until(() -> this.members.stream()
				.allMatch((joined) -> joined.getCluster().getMembers().size() == this.members.size()));
		return warmedUp(member);
	}

	/** The first request may take longer than a call of an engine on a busy machine. */
	private static HazelcastInstance warmedUp(HazelcastInstance instance) {
		instance.getMap("warm-up").get("key");
		return instance;
	}

	private Config config(int port) {
		Config config = new Config().setClusterName(this.name)
			.setProperty("hazelcast.logging.type", "none")
			.setProperty("hazelcast.phone.home.enabled", "false")
			.setProperty("hazelcast.shutdownhook.enabled", "false")
			.setProperty("hazelcast.partition.count", "31")
			.setProperty("hazelcast.socket.bind.any", "false")
			.setProperty("hazelcast.heartbeat.interval.seconds", "1")
			.setProperty("hazelcast.max.no.heartbeat.seconds", "30")
			.setProperty("hazelcast.merge.first.run.delay.seconds", "1")
			.setProperty("hazelcast.merge.next.run.delay.seconds", "1")
			.setProperty("hazelcast.wait.seconds.before.join", "0");
		config.getJetConfig().setEnabled(false);
		config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
		config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
		JoinConfig join = config.getNetworkConfig().getJoin();
		join.getAutoDetectionConfig().setEnabled(false);
		join.getMulticastConfig().setEnabled(false);
		join.getTcpIpConfig().setEnabled(true);
		return config;
	}

	/** Return the networks before the members, in their order. */
	public List<FaultProxy> networks() {
		return List.copyOf(this.networks);
	}

	/** Cut the network between all members. */
	public void split() {
		this.networks.forEach((network) -> {
			network.refuse();
			network.reset();
		});
	}

	/** Repair the network. */
	public void heal() {
		this.networks.forEach(FaultProxy::heal);
	}

	/** Return the port of a member, or of the proxy before it. */
	public static int port(HazelcastInstance member) {
		return member.getCluster().getLocalMember().getAddress().getPort();
	}

	/** Connect a client to a member. */
	public static HazelcastInstance client(String cluster, int port) {
		ClientConfig config = new ClientConfig().setClusterName(cluster).setProperty("hazelcast.logging.type", "none");
		config.getNetworkConfig().addAddress("127.0.0.1:" + port);
		return warmedUp(HazelcastClient.newHazelcastClient(config));
	}

	/** Create a client that starts without a member, and keeps looking for one. */
	public static HazelcastInstance disconnected(int port) {
		ClientConfig config = new ClientConfig().setProperty("hazelcast.logging.type", "none");
		config.getNetworkConfig().addAddress("127.0.0.1:" + port);
		config.getConnectionStrategyConfig()
			.setAsyncStart(true)
			.getConnectionRetryConfig()
			.setClusterConnectTimeoutMillis(Long.MAX_VALUE);
		return HazelcastClient.newHazelcastClient(config);
	}

	@Override
	public void close() {
		this.members.forEach((member) -> member.getLifecycleService().terminate());
		for (FaultProxy network : this.networks) {
			try {
				network.close();
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

	private static final class Shared {

		static final HazelcastInstance MEMBER = new HazelcastTestCluster().member(Shared::addMaps);

		private static void addMaps(Config config) {
			MapConfig evicting = new MapConfig("evicting-*");
			evicting.getEvictionConfig().setEvictionPolicy(EvictionPolicy.LRU).setSize(1000);
			config.addMapConfig(evicting)
				.addMapConfig(new MapConfig("idle-*").setMaxIdleSeconds(3600))
				.addMapConfig(new MapConfig("short-*").setTimeToLiveSeconds(3600))
				.addMapConfig(new MapConfig("near-*").setNearCacheConfig(new NearCacheConfig()))
				.addMapConfig(new MapConfig("backup-*").setReadBackupData(true))
				.addMapConfig(new MapConfig("plain-*"));
		}

	}

}
