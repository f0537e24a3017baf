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
import io.leasehold.test.contract.SharedLockEngineContract;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/**
 * The contract, kept by {@link ZooKeeperLockEngine} on a single server.
 */
class ZooKeeperLockEngineContractIntegrationTests extends SharedLockEngineContract {

	private static final Queue<CuratorFramework> clients = new ConcurrentLinkedQueue<>();

	private static CuratorFramework operator;

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
		clients.forEach(CuratorFramework::close);
		clients.clear();
	}

	@Override
	protected EngineAddress address() {
		return new EngineAddress(Opener.class, List.of(ZooKeeperTestServer.shared()));
	}

	/** A parked lock must outlast a test, and is valid for a part of its session. */
	@Override
	protected LockEngine connect(String namespace, Member member) {
		return new Opener().open(namespace, member, List.of(ZooKeeperTestServer.shared(), "30000"));
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
			int session = (arguments.size() > 1) ? Integer.parseInt(arguments.get(1))
					: ZooKeeperTestServer.SESSION_MILLIS;
			CuratorFramework client = ZooKeeperTestServer.connect(arguments.get(0), session);
			clients.add(client);
			awaitConnection(client);
			return ZooKeeperLockEngine.using(client,
					new ZooKeeperSettings(namespace, "/leasehold", Duration.ofSeconds(5), Duration.ofSeconds(1)),
					MonotonicClock.SYSTEM);
		}

		/**
		 * The first connection of a JVM on a loaded machine may take longer than a call.
		 */
		private static void awaitConnection(CuratorFramework client) {
			try {
				client.blockUntilConnected(1, TimeUnit.MINUTES);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
