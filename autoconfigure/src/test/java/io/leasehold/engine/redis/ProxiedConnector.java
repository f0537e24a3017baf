package io.leasehold.engine.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.leasehold.engine.redis.connection.Connection;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.SubscribedConnection;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.server.FaultProxy;

/**
 * Connections through a proxy before each server, whichever servers a topology names.
 */
final class ProxiedConnector implements Connector {

	private final Connector connector;

	private final Runnable beforeEachResponse;

	private final Map<Integer, FaultProxy> proxies = new ConcurrentHashMap<>();

	/**
	 * Create a connector.
	 * @param connector opens the connections, and is closed with this connector
	 * @param beforeEachResponse runs before bytes of a server arrive
	 */
	ProxiedConnector(Connector connector, Runnable beforeEachResponse) {
		this.connector = connector;
		this.beforeEachResponse = beforeEachResponse;
	}

	@Override
	public Connection connect(Node node, Login login) {
		return this.connector.connect(proxy(node), login);
	}

	@Override
	public SubscribedConnection listen(Node node, Login login, String channel, Consumer<String> messages,
			Runnable lost) {
		return this.connector.listen(proxy(node), login, channel, messages, lost);
	}

	private Node proxy(Node node) {
		return new Node("127.0.0.1", this.proxies.computeIfAbsent(node.port(), this::startProxy).port());
	}

	private FaultProxy startProxy(int port) {
		FaultProxy proxy = FaultProxy.to(port);
		proxy.replies().beforeEach(this.beforeEachResponse);
		return proxy;
	}

	@Override
	public void close() {
		this.connector.close();
		for (FaultProxy proxy : this.proxies.values()) {
			try {
				proxy.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

}
