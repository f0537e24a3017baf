package io.leasehold.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

import io.leasehold.engine.memcached.MemcachedConsole;
import io.leasehold.engine.memcached.MemcachedStore;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.MemcachedTestServer;

/**
 * Two servers of memcached, one of which is stopped and started empty again and again.
 * Their addresses decide which of them has a key, so all JVMs reach them by the same
 * networks.
 */
final class SoakMemcached implements AutoCloseable {

	private final List<MemcachedTestServer> servers = List.of(MemcachedTestServer.start(), MemcachedTestServer.start());

	private final List<FaultProxy> networks = this.servers.stream()
		.map((server) -> FaultProxy.to(server.port()))
		.toList();

	private final MemcachedTestServer restarted;

	/** Those of the server that is restarted. */
	private final Set<String> keys;

	private final List<Exemption> restarts = new ArrayList<>();

	SoakMemcached() {
		List<String> addresses = addresses(this.networks.stream().map(FaultProxy::port).toList());
		try (MemcachedStore store = MemcachedStore.connect(addresses, Duration.ofSeconds(10))) {
			String first = part(store, Holder.KEYS.get(0));
			this.restarted = this.servers.get(addresses.indexOf(first));
			this.keys = Holder.KEYS.stream()
				.filter((key) -> part(store, key).equals(first))
				.collect(Collectors.toUnmodifiableSet());
		}
	}

	private static String part(MemcachedStore store, String key) {
		return store.part(Stores.NAMESPACE + ":" + key);
	}

	static List<String> addresses(List<Integer> ports) {
		return ports.stream().map((port) -> "127.0.0.1:" + port).toList();
	}

	/** Return the networks to the servers. */
	List<FaultProxy> networks() {
		return this.networks;
	}

	/** Stop the server of the first key for a while. The other one keeps its locks. */
	void restart(Random random) throws InterruptedException {
		long begin = System.nanoTime();
		this.restarted.kill();
		Thread.sleep(random.nextInt(3000));
		this.restarted.startAgain();
		this.restarts.add(new Exemption(begin, System.nanoTime() + SoakEngines.LEASE.toNanos(), this.keys));
	}

	/** Return all restarts, once there are no more. */
	List<Exemption> restarts() {
		return this.restarts;
	}

	List<String> residue() {
		return this.servers.stream()
			.flatMap((server) -> new MemcachedConsole(server.port()).residue(Stores.NAMESPACE).stream())
			.toList();
	}

	@Override
	public void close() {
		this.servers.forEach(MemcachedTestServer::close);
	}

}
