package io.leasehold.leadership;

import java.util.List;
import java.util.function.Function;

import io.leasehold.engine.LockEngine;

/**
 * A route through a proxy before each server.
 */
public final class ProxiedRoute implements Route {

	private final Network network;

	private final LockEngine engine;

	/**
	 * Connect to servers.
	 * @param ports ports of the servers
	 * @param opener connects an engine to the ports of the proxies. The engine is closed
	 * with the route
	 */
	public ProxiedRoute(List<Integer> ports, Function<List<Integer>, LockEngine> opener) {
		this.network = new Network(ports);
		this.engine = opener.apply(this.network.ports());
	}

	@Override
	public LockEngine engine() {
		return this.engine;
	}

	@Override
	public void cut() {
		this.network.cut();
	}

	@Override
	public void refuse() {
		this.network.refuse();
	}

	@Override
	public void heal() {
		this.network.heal();
	}

	@Override
	public void close() throws Exception {
		((AutoCloseable) this.engine).close();
		this.network.close();
	}

}
