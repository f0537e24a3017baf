package io.leasehold.leadership;

import java.util.List;
import java.util.function.Function;

import io.leasehold.engine.LockEngine;
import io.leasehold.server.FaultProxy;

/**
 * A route through a proxy before each server.
 */
public final class ProxiedRoute implements Route {

	private final List<FaultProxy> proxies;

	private final LockEngine engine;

	/**
	 * Connect to servers.
	 * @param ports ports of the servers
	 * @param opener connects an engine to the ports of the proxies. The engine is closed
	 * with the route
	 */
	public ProxiedRoute(List<Integer> ports, Function<List<Integer>, LockEngine> opener) {
		this.proxies = ports.stream().map(FaultProxy::to).toList();
		this.engine = opener.apply(this.proxies.stream().map(FaultProxy::port).toList());
	}

	@Override
	public LockEngine engine() {
		return this.engine;
	}

	@Override
	public void cut() {
		this.proxies.forEach(FaultProxy::blackHole);
	}

	@Override
	public void refuse() {
		this.proxies.forEach(FaultProxy::refuse);
		this.proxies.forEach(FaultProxy::reset);
	}

	@Override
	public void heal() {
		this.proxies.forEach(FaultProxy::heal);
	}

	@Override
	public void close() throws Exception {
		((AutoCloseable) this.engine).close();
		for (FaultProxy proxy : this.proxies) {
			proxy.close();
		}
	}

}
