package io.leasehold.leadership;

import java.io.IOException;
import java.util.List;

import io.leasehold.server.FaultProxy;

/**
 * The network between an instance and the servers of a store: a proxy before each server.
 */
final class Network {

	private final List<FaultProxy> proxies;

	Network(List<Integer> servers) {
		this.proxies = servers.stream().map(FaultProxy::to).toList();
	}

	/** Return the ports that lead to the servers. */
	List<Integer> ports() {
		return this.proxies.stream().map(FaultProxy::port).toList();
	}

	/** Let nothing through, in either direction, and break nothing. */
	void cut() {
		this.proxies.forEach(FaultProxy::blackHole);
	}

	/** Break all connections, and reject new ones. */
	void refuse() {
		this.proxies.forEach(FaultProxy::refuse);
		this.proxies.forEach(FaultProxy::reset);
	}

	/** End the fault. */
	void heal() {
		this.proxies.forEach(FaultProxy::heal);
	}

	void close() throws IOException {
		for (FaultProxy proxy : this.proxies) {
			proxy.close();
		}
	}

}
