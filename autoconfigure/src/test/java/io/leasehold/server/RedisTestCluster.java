package io.leasehold.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import static org.awaitility.Awaitility.await;

/**
 * A real Redis Cluster on free ports of this machine: three masters, and a replica of the
 * first that takes its place within seconds when it fails.
 */
public final class RedisTestCluster implements AutoCloseable {

	private static final int SLOTS = 16_384;

	private static final int MASTERS = 3;

	private final RedisClient client = RedisClient.create();

	private final List<RedisTestServer> servers = new ArrayList<>();

	private final List<Integer> buses = new ArrayList<>();

	private final List<RedisCommands<String, String>> operators = new ArrayList<>();

	private RedisTestCluster() {
		for (int i = 0; i < MASTERS; i++) {
			addNode();
			tell(i, "ADDSLOTSRANGE", first(i), first(i + 1) - 1);
			tell(i, "SET-CONFIG-EPOCH", i + 1); // refused once it knows another node
		}
		addNode();
		for (int i = 1; i < this.servers.size(); i++) {
			tell(0, "MEET", "127.0.0.1", this.servers.get(i).port(), this.buses.get(i));
		}
		await().until(() -> info(MASTERS).contains("cluster_known_nodes:4"));
		await().ignoreExceptions().until(() -> {
			tell(MASTERS, "REPLICATE", operator(0).clusterMyId());
			return true;
		});
		await().until(this::isReady);
	}

	/** Start a cluster. */
	public static RedisTestCluster start() {
		return new RedisTestCluster();
	}

	private void addNode() {
		int bus = Ports.free();
		RedisTestServer server = RedisTestServer.start("cluster-enabled yes",
				"cluster-config-file nodes-%d.conf".formatted(bus), "cluster-port " + bus, "cluster-node-timeout 5000",
				"repl-diskless-sync-delay 0");
		this.servers.add(server);
		this.buses.add(bus);
		this.operators.add(this.client.connect(RedisURI.create("127.0.0.1", server.port())).sync());
	}

	private static int first(int master) {
		return SLOTS * master / MASTERS;
	}

	private void tell(int node, Object... words) {
		CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
		for (Object word : words) {
			args.add(word.toString());
		}
		operator(node).dispatch(CommandType.CLUSTER, new StatusOutput<>(StringCodec.UTF8), args);
	}

	private boolean isReady() {
		for (int i = 0; i <= MASTERS; i++) {
			if (!info(i).contains("cluster_state:ok")) {
				return false;
			}
		}
		return operator(0).info("replication").contains("state=online");
	}

	private String info(int node) {
		return operator(node).clusterInfo();
	}

	/** Ports of the three masters at the start, and of the replica of the first. */
	public List<Integer> ports() {
		return this.servers.stream().map(RedisTestServer::port).toList();
	}

	/** Stop a node. */
	public void stop(int node) {
		this.servers.get(node).close();
	}

	/** Commands of an operator, straight to one node. */
	public RedisCommands<String, String> operator(int node) {
		return this.operators.get(node);
	}

	/** Which of the masters at the start has the slot of a key. */
	public int masterOf(String key) {
		int slot = operator(1).clusterKeyslot(key).intValue();
		return (slot >= first(2)) ? 2 : (slot >= first(1)) ? 1 : 0;
	}

	/** Let nobody serve the slot of a key, or the given node again. */
	public void serve(String key, int node, boolean serves) {
		tell(node, serves ? "ADDSLOTS" : "DELSLOTS", operator(0).clusterKeyslot(key));
	}

	/** Begin to move the slot of a key. */
	public void beginToMove(String key, int from, int to) {
		Long slot = operator(0).clusterKeyslot(key);
		tell(to, "SETSLOT", slot, "IMPORTING", operator(from).clusterMyId());
		tell(from, "SETSLOT", slot, "MIGRATING", operator(to).clusterMyId());
	}

	/** Move a slot's keys and finish its move. */
	public void finishMove(String key, int from, int to) {
		int slot = operator(0).clusterKeyslot(key).intValue();
		for (String name : operator(from).clusterGetKeysInSlot(slot, 100)) {
			operator(from).migrate("127.0.0.1", ports().get(to), name, 0, 30_000);
		}
		tell(to, "SETSLOT", slot, "NODE", operator(to).clusterMyId());
		tell(from, "SETSLOT", slot, "NODE", operator(to).clusterMyId());
	}

	@Override
	public void close() {
		this.client.shutdown();
		this.servers.forEach(RedisTestServer::close);
	}

}
