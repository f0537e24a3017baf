package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.leasehold.LockKey;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.SharedLockEngineContract;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/**
 * The contract, kept by {@link ZooKeeperLockEngine} on a single server.
 */
@Fault(194)
class ZooKeeperLockEngineContractIntegrationTests extends SharedLockEngineContract {

	private static CuratorFramework operator;

	private final Queue<CuratorFramework> clients = new ConcurrentLinkedQueue<>();

	@BeforeAll
	static void connect() {
		operator = ZooKeeperTestServer.connect(ZooKeeperTestServer.shared());
	}

	@AfterAll
	static void disconnectOperator() {
		operator.close();
	}

	@AfterEach
	void closeClients() {
		this.clients.forEach(CuratorFramework::close);
	}

	@Override
	protected EngineAddress address() {
		return new EngineAddress(Opener.class, List.of(ZooKeeperTestServer.shared()));
	}

	/** A parked lock must outlast a test, and is valid for a part of its session. */
	@Override
	protected LockEngine connect(String namespace, Member member) {
		CuratorFramework client = Opener.connect(ZooKeeperTestServer.shared(), 30_000);
		this.clients.add(client);
		return Opener.engine(namespace, client);
	}

	/**
	 * Not much shorter than a session of another process, by which a process that died is
	 * followed.
	 */
	@Override
	protected Duration shortLease() {
		return Duration.ofSeconds(3);
	}

	/** Each of them a node in a container of its own; their session is renewed anyway. */
	@Override
	protected int manyLocks() {
		return 600;
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		String container = "/leasehold/" + NodePaths.escape(namespace) + "/" + NodePaths.escape(key.value());
		try {
			for (String holder : new NodeOrder(container, operator.getChildren().forPath(container)).holders()) {
				operator.delete().forPath(holder);
			}
		}
		catch (KeeperException.NoNodeException ex) {
			// it was not held
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Empty containers are the server's to remove. */
	@Override
	protected Collection<String> residue(String namespace) {
		List<String> nodes = new ArrayList<>();
		String root = "/leasehold/" + NodePaths.escape(namespace);
		try {
			operator.sync().forPath(root);
			for (String key : operator.getChildren().forPath(root)) {
				nodes.addAll(operator.getChildren().forPath(root + "/" + key));
			}
		}
		catch (KeeperException.NoNodeException ex) {
			return nodes;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		return nodes;
	}

	/**
	 * Connects to a server by its connect string.
	 */
	public static final class Opener implements EngineAddress.Opener {

		@Override
		public LockEngine open(String namespace, Member member, List<String> arguments) {
			return engine(namespace, connect(arguments.get(0), ZooKeeperTestServer.SESSION_MILLIS));
		}

		static LockEngine engine(String namespace, CuratorFramework client) {
			return ZooKeeperLockEngine.using(client,
					new ZooKeeperSettings(namespace, "/leasehold", Duration.ofSeconds(5), Duration.ofSeconds(1)),
					MonotonicClock.SYSTEM);
		}

		/**
		 * The first connection of a JVM on a loaded machine may take longer than a call.
		 */
		static CuratorFramework connect(String server, int sessionMillis) {
			CuratorFramework client = ZooKeeperTestServer.connect(server, sessionMillis);
			try {
				client.blockUntilConnected(1, TimeUnit.MINUTES);
				return client;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
