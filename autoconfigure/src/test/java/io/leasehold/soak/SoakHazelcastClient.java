package io.leasehold.soak;

import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Address;
import com.hazelcast.config.DiscoveryStrategyConfig;
import com.hazelcast.config.properties.PropertyDefinition;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.logging.ILogger;
import com.hazelcast.spi.discovery.AbstractDiscoveryStrategy;
import com.hazelcast.spi.discovery.DiscoveryNode;
import com.hazelcast.spi.discovery.DiscoveryStrategy;
import com.hazelcast.spi.discovery.DiscoveryStrategyFactory;
import com.hazelcast.spi.discovery.SimpleDiscoveryNode;

/**
 * Connects a client to a cluster whose members it reaches only through its own proxies.
 */
final class SoakHazelcastClient {

	private SoakHazelcastClient() {
	}

	/**
	 * Connect.
	 * @param members ports of the members, as they know each other
	 * @param networks ports of the client's proxies, in the same order
	 */
	static HazelcastInstance open(List<Integer> members, List<Integer> networks) {
		List<DiscoveryNode> nodes = new ArrayList<>();
		for (int i = 0; i < members.size(); i++) {
			nodes.add(new SimpleDiscoveryNode(address(members.get(i)), address(networks.get(i))));
		}
		ClientConfig config = new ClientConfig().setClusterName(Stores.NAMESPACE)
			.setProperty("hazelcast.logging.type", "none")
			.setProperty("hazelcast.discovery.enabled", "true")
			.setProperty("hazelcast.discovery.public.ip.enabled", "true");
		config.getConnectionStrategyConfig()
			.getConnectionRetryConfig()
			.setInitialBackoffMillis(50)
			.setMaxBackoffMillis(500);
		config.getNetworkConfig()
			.getDiscoveryConfig()
			.addDiscoveryStrategyConfig(new DiscoveryStrategyConfig(new Routes(nodes), Map.of()));
		return HazelcastClient.newHazelcastClient(config);
	}

	private static Address address(int port) {
		try {
			return new Address("127.0.0.1", port);
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Leads to the proxy of each member. */
	private record Routes(List<DiscoveryNode> nodes) implements DiscoveryStrategyFactory {

		@Override
		public Class<? extends DiscoveryStrategy> getDiscoveryStrategyType() {
			return AbstractDiscoveryStrategy.class;
		}

		@Override
		@SuppressWarnings("rawtypes") // as the interface declares it
		public DiscoveryStrategy newDiscoveryStrategy(DiscoveryNode self, ILogger logger,
				Map<String, Comparable> properties) {
			return new AbstractDiscoveryStrategy(logger, properties) {

				@Override
				public Iterable<DiscoveryNode> discoverNodes() {
					return Routes.this.nodes;
				}

			};
		}

		@Override
		public Collection<PropertyDefinition> getConfigurationProperties() {
			return List.of();
		}

	}

}
