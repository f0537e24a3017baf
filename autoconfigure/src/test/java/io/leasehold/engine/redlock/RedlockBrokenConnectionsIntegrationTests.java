package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.Claim;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.LettuceResources;
import io.leasehold.engine.redlock.RedlockCluster.Process;
import io.leasehold.server.FaultProxy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Connections to masters that break again and again, as behind a proxy that drops idle
 * ones.
 */
class RedlockBrokenConnectionsIntegrationTests {

	private static final int ROUNDS = 5;

	private static final RedlockTestMasters MASTERS = RedlockTestMasters.shared();

	private final LettuceConnector connector = new LettuceConnector(LettuceTransport.PLAIN,
			RedlockOpener.COMMAND_TIMEOUT);

	@AutoClose
	private final RedlockCluster cluster = new RedlockCluster(MASTERS);

	private final Process process = this.cluster.patientProcess(this.connector);

	private final Claim waiting = this.process.waiting("k");

	@Test
	void brokenConnectionsAreClosed() {
		Process holder = this.cluster.process(3);
		holder.granted(holder.claim("k", Duration.ofHours(1)));
		assertThat(this.process.engine().tryAcquire(this.waiting)).isInstanceOf(Busy.class);
		this.process.engine().subscribe(this.waiting, (signal) -> {
		});
		connect();
		int kept = LettuceResources.kept(this.connector);
		assertThat(kept).isPositive();
		for (int i = 0; i < ROUNDS; i++) {
			this.process.network().forEach(FaultProxy::reset);
			connect();
		}
		await().untilAsserted(() -> assertThat(LettuceResources.kept(this.connector)).isEqualTo(kept));
	}

	/** Send requests to all masters, until each has a connection for messages. */
	private void connect() {
		await().ignoreExceptions().until(() -> {
			assertThat(this.process.engine().tryAcquire(this.waiting)).isInstanceOf(Busy.class);
			this.process.engine().checkMasters();
			return subscribers().equals(List.of(1L, 1L, 1L));
		});
	}

	private List<Long> subscribers() {
		String channel = LockNames.releases(this.cluster.namespace());
		return IntStream.range(0, 3)
			.mapToObj((master) -> MASTERS.operator(master).pubsubNumsub(channel).get(channel))
			.toList();
	}

}
