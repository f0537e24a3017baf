package io.leasehold.engine.etcd;

import java.net.URI;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.server.EtcdTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Time of a free lock and its release, compared with a put and a delete by the same
 * client. Both take turns, so that they share the load of the machine. The history is
 * compacted before each turn: etcd's index contains the keys of former claims until then.
 */
@Timeout(300)
class EtcdCostLongTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final int ROUNDS = 160;

	private static final int PAIRS = 20;

	private final EtcdEngines engines = new EtcdEngines();

	private final EtcdTestServer server = this.engines.open(EtcdTestServer.start());

	private final EtcdLockEngine engine = this.engines.engine(this.server.url());

	private final Gateway gateway = new Gateway(HttpClient.newHttpClient(), null);

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	@Test
	void freeLockCostsLittleMoreThanPutAndDelete() throws Exception {
		List<Double> ratios = new ArrayList<>();
		for (int round = 0; round < ROUNDS; round++) {
			EtcdOperator.compact(this.server.url(), new EtcdOperator(this.server.url()).revision());
			long begun = System.nanoTime();
			for (int i = 0; i < PAIRS; i++) {
				putAndDelete();
			}
			long between = System.nanoTime();
			for (int i = 0; i < PAIRS; i++) {
				lockAndUnlock();
			}
			ratios.add((double) (System.nanoTime() - between) / (between - begun));
		}
		List<Double> warm = ratios.subList(ROUNDS / 4, ROUNDS).stream().sorted().toList();
		double median = warm.get(warm.size() / 2);
		System.out.printf("etcd: lock and unlock / put and delete: median %.2f, quartiles %.2f to %.2f%n", median,
				warm.get(warm.size() / 4), warm.get(warm.size() * 3 / 4));
		assertThat(median).isLessThan(1.5);
	}

	private void lockAndUnlock() {
		Claim claim = this.engines.claim(KEY);
		EtcdEngines.granted(this.engine, claim);
		this.engine.release(claim);
	}

	private void putAndDelete() throws EtcdException, TimeoutException {
		JsonObject key = JsonObject.of("key", KeyValue.encode("bare/order:42"));
		URI member = URI.create(this.server.url());
		this.gateway.post(member, "/v3/kv/put", JsonObject.of("key", key.text("key")).with("value", "eA=="),
				EtcdOperator.deadline());
		this.gateway.post(member, "/v3/kv/deleterange", key, EtcdOperator.deadline());
	}

}
