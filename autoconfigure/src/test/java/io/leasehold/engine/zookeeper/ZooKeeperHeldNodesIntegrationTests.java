package io.leasehold.engine.zookeeper;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.HeldKeys;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link HeldNodes} of many keys.
 */
class ZooKeeperHeldNodesIntegrationTests {

	private static final String ROOT = "/leasehold/faults/";

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	/** The response would close the connection if it exceeded a megabyte. */
	@Test
	void listIsRefusedWhileThereAreTooManyKeys() throws Exception {
		CuratorFramework client = this.engines.client(this.engines.server().getConnectString());
		ZooKeeperLockEngine engine = this.engines.patientEngine(client);
		LockKey held = new LockKey("a");
		granted(engine, this.engines.claim(held));
		for (int batch = 0; batch < 2; batch++) {
			create(client, batch);
		}
		HeldKeys keys = engine.heldKeys();
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> keys.list("", null, 10))
			.withMessage("Engine 'zookeeper' cannot list its locks while there are more than 600 keys (now 601)");
		client.delete().forPath(ROOT + "idle:0:0");
		HeldKeys.Page page = keys.list("", null, 10);
		assertThat(page.keys()).singleElement().extracting(HeldKeys.HeldKey::key).isEqualTo(held);
		HeldKeys.Page following = keys.list("", page.next(), 10);
		assertThat(following.keys()).isEmpty();
		assertThat(following.next()).isNotNull();
	}

	private static void create(CuratorFramework client, int batch) throws Exception {
		List<CuratorOp> nodes = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			nodes.add(client.transactionOp().create().forPath(ROOT + "idle:%s:%s".formatted(batch, i)));
		}
		client.transaction().forOperations(nodes);
	}

}
