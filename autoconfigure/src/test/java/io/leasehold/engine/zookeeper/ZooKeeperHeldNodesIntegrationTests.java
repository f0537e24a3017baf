package io.leasehold.engine.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.Holder;
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

	/** Nodes of other applications may be below the same root. */
	@Test
	void nodesOfOtherApplicationsAreNeitherHoldersNorObstacles() throws Exception {
		CuratorFramework client = this.engines.client(this.engines.server().getConnectString());
		ZooKeeperLockEngine engine = this.engines.patientEngine(client);
		LockKey held = new LockKey("b");
		Claim claim = this.engines.claim(held);
		granted(engine, claim);
		client.create().creatingParentsIfNeeded().forPath(ROOT + "a/members/1");
		client.create().forPath(ROOT + "a%");
		client.create().forPath(ROOT + "b/member");
		client.create().forPath(ROOT + "b/0000000001");
		client.create().creatingParentsIfNeeded().forPath(ROOT + "c/of:x:0000000001", "\n".getBytes());
		client.create().creatingParentsIfNeeded().forPath(ROOT + "d/of:x:0000000001");
		client.setData().forPath(ROOT + "d/of:x:0000000001", null);
		Map<String, List<String>> listed = engine.heldKeys()
			.list("", null, 10)
			.keys()
			.stream()
			.collect(Collectors.toMap((key) -> key.key().value(),
					(key) -> key.holders().stream().map(Holder::application).toList()));
		assertThat(listed).containsOnly(Map.entry("b", List.of("faults")), Map.entry("c", List.of("unknown")),
				Map.entry("d", List.of("unknown")));
		assertThat(engine.inspect(held)).hasSize(1);
		assertThat(engine.inspect(new LockKey("a"))).isEmpty();
		engine.release(claim);
		assertThat(engine.inspect(held)).isEmpty();
		granted(engine, this.engines.claim(held));
		assertThat(engine.forceRelease(held)).hasSize(1);
	}

	/** The number of requests of a page has a limit. */
	@Test
	void pageOfAwaitedKeysEndsAfterAThousandWaits() throws Exception {
		CuratorFramework client = this.engines.client(this.engines.server().getConnectString());
		ZooKeeperLockEngine engine = this.engines.patientEngine(client);
		for (int key = 10; key < 22; key++) {
			client.create().creatingParentsIfNeeded().forPath(ROOT + "k" + key);
			List<CuratorOp> claims = new ArrayList<>();
			for (int i = 0; i <= HeldKeys.HeldKey.MOST_WAITERS; i++) {
				claims.add(client.transactionOp().create().forPath(ROOT + "k%s/of:x:%010d".formatted(key, i)));
			}
			client.transaction().forOperations(claims);
		}
		HeldKeys.Page page = engine.heldKeys().listAwaited(null, 500);
		assertThat(page.keys()).hasSize(10);
		assertThat(page.next()).isEqualTo("k19");
		HeldKeys.Page last = engine.heldKeys().listAwaited(page.next(), 500);
		assertThat(last.keys()).extracting((key) -> key.key().value()).containsExactly("k20", "k21");
		assertThat(last.next()).isNull();
		assertThat(engine.heldKeys().list("", null, 500).keys()).hasSize(12);
	}

	private static void create(CuratorFramework client, int batch) throws Exception {
		List<CuratorOp> nodes = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			nodes.add(client.transactionOp().create().forPath(ROOT + "idle:%s:%s".formatted(batch, i)));
		}
		client.transaction().forOperations(nodes);
	}

}
