package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.Claim;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.LettuceResources;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.server.RedisTestServer;
import io.lettuce.core.KillArgs;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Connections that break again and again, as behind a proxy that drops idle ones.
 */
class RedisBrokenConnectionsIntegrationTests {

	private static final int ROUNDS = 5;

	private static final int PORT = RedisTestServer.shared().port();

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private final String name = "name-" + UUID.randomUUID();

	private final LettuceConnector connector = new LettuceConnector(LettuceTransport.of(null, this.name), TIMEOUT);

	@AutoClose
	private final RedisEngines engines = RedisEngines.patient(PORT);

	private final TestMember member = this.engines.member(
			RedisConnections.by(this.connector, new RedisStandaloneConfiguration("127.0.0.1", PORT), TIMEOUT),
			this.engines.settings());

	private final Claim waiting = this.member.waiting("k");

	@Test
	void brokenConnectionsAreClosed() {
		TestMember holder = this.engines.member();
		holder.granted(holder.claim("k", Duration.ofHours(1), false));
		connect();
		int kept = LettuceResources.kept(this.connector);
		assertThat(kept).isPositive();
		for (int i = 0; i < ROUNDS; i++) {
			clients().forEach((id) -> this.engines.server().clientKill(KillArgs.Builder.id(id)));
			connect();
		}
		await().untilAsserted(() -> assertThat(LettuceResources.kept(this.connector)).isEqualTo(kept));
	}

	/**
	 * Let a claim wait, until there is a connection for requests and one for messages.
	 */
	private void connect() {
		await().ignoreExceptions().until(() -> {
			assertThat(this.member.engine().tryAcquire(this.waiting)).isInstanceOf(Busy.class);
			return clients().size() == 2;
		});
	}

	private List<Long> clients() {
		return this.engines.server()
			.clientList()
			.lines()
			.filter((line) -> line.contains(this.name))
			.map((line) -> Long.valueOf(line.replaceFirst("^id=(\\d+).*", "$1")))
			.toList();
	}

}
