package io.leasehold.engine.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.test.contract.EngineAddress;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Connects to servers of this machine by their ports, in the words of a command line.
 */
public final class RedisOpener implements EngineAddress.Opener {

	private static final String CLUSTER = "cluster";

	private static final String SINGLE = "single";

	private static final String SINGLE_WITH_SHORT_POLLS = "single-with-short-polls";

	/** The address of a single server. */
	static EngineAddress single(int port) {
		return address(SINGLE, List.of(port));
	}

	/** The address of a single server that claims poll in short intervals. */
	static EngineAddress singleWithShortPolls(int port) {
		return address(SINGLE_WITH_SHORT_POLLS, List.of(port));
	}

	/** The address of a cluster. */
	static EngineAddress cluster(List<Integer> ports) {
		return address(CLUSTER, ports);
	}

	private static EngineAddress address(String kind, List<Integer> ports) {
		List<String> arguments = new ArrayList<>(List.of(kind));
		ports.forEach((port) -> arguments.add(port.toString()));
		return new EngineAddress(RedisOpener.class, arguments);
	}

	@Override
	public LockEngine open(String namespace, Member member, List<String> arguments) {
		List<Integer> ports = arguments.subList(1, arguments.size()).stream().map(Integer::valueOf).toList();
		RedisConfiguration servers = arguments.get(0).equals(CLUSTER) ? clusterAt(ports)
				: new RedisStandaloneConfiguration("127.0.0.1", ports.get(0));
		RedisSettings settings = arguments.get(0).equals(SINGLE_WITH_SHORT_POLLS) ? RedisEngines.settings(namespace)
				: RedisEngines.patientSettings(namespace);
		RedisConnections connections = RedisConnections.by(
				new LettuceConnector(LettuceTransport.PLAIN, settings.commandTimeout()), servers,
				settings.commandTimeout());
		return open(member, connections, settings, MonotonicClock.SYSTEM);
	}

	/** Connect by a client library. */
	static LockEngine open(String namespace, Member member, Connector connector, RedisConfiguration servers,
			MonotonicClock clock) {
		RedisSettings settings = RedisEngines.patientSettings(namespace);
		return open(member, RedisConnections.by(connector, servers, settings.commandTimeout()), settings, clock);
	}

	private static LockEngine open(Member member, RedisConnections connections, RedisSettings settings,
			MonotonicClock clock) {
		RedisLockEngine engine = new RedisLockEngine(connections, settings, member, clock);
		RedisEngines.warmUp(new RedisEngines.TestMember(member, engine));
		return engine;
	}

	/** A cluster of which some ports are known. */
	static RedisClusterConfiguration clusterAt(List<Integer> ports) {
		RedisClusterConfiguration cluster = new RedisClusterConfiguration();
		cluster.setClusterNodes(nodes(ports));
		return cluster;
	}

	/** A master that sentinels at the given ports know. */
	static RedisSentinelConfiguration master(String name, List<Integer> sentinelPorts) {
		RedisSentinelConfiguration master = new RedisSentinelConfiguration();
		master.master(name);
		master.setSentinels(nodes(sentinelPorts));
		return master;
	}

	private static List<RedisNode> nodes(List<Integer> ports) {
		return ports.stream().map((port) -> new RedisNode("127.0.0.1", port)).toList();
	}

	/** Of the names in a store, those of a namespace, fencing numbers apart. */
	static List<String> residue(Collection<String> names, String namespace) {
		return names.stream().filter((name) -> name.startsWith(namespace) && !name.endsWith(":fence")).toList();
	}

}
