package io.leasehold.engine.zookeeper;

import java.io.File;
import java.nio.file.Path;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Claim;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Grant numbers, which are computed from the ids of transactions.
 */
class ZooKeeperNumbersIntegrationTests extends ZooKeeperFaultsFixture {

	@TempDir
	private Path directory;

	@Test
	void lockIsRefusedAfterAMillionElections() throws Exception {
		File data = this.directory.toFile();
		ZooKeeperServer server = new ZooKeeperServer(data, data, 200);
		ServerCnxnFactory connections = ServerCnxnFactory.createFactory(0, 10);
		this.engines.open(connections::shutdown);
		connections.startup(server);
		CuratorFramework client = this.engines.client("127.0.0.1:" + connections.getLocalPort());
		ZooKeeperLockEngine engine = this.engines.patientEngine(client);
		this.engines.useOnce(engine, KEY);
		server.setZxid(1L << 20 << 32);
		Claim claim = this.engines.claim(KEY);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim))
			.matches((failure) -> !failure.isRetryable())
			.withMessageContaining("transaction id 0x1000000000000")
			.withMessageContaining("2^20 leader elections");
		engine.release(claim);
		assertThat(client.getChildren().forPath(CONTAINER)).isEmpty();
	}

}
