package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.List;

import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.ServerInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ServerState}.
 */
class ServerStateTests {

	private static final String MASTER = """
			# Server
			run_id:abc
			uptime_in_seconds:20
			# Replication
			role:master
			connected_slaves:0
			# Cluster
			cluster_enabled:0
			""";

	private static final List<String> TIME = List.of("1000", "7");

	/**
	 * Redis reports the difference of two times in whole seconds: 20 s may be 19 s and a
	 * little.
	 */
	@Test
	void serverMayHaveStartedUpToASecondLaterThanItReports() {
		assertThat(parse(MASTER)).isEqualTo(new ServerState("abc", Duration.ofSeconds(19), 981_000_007L));
		assertThat(parse(MASTER.replace("seconds:20", "seconds:0")))
			.isEqualTo(new ServerState("abc", Duration.ZERO, 1_000_000_007L));
	}

	@Test
	void serverThatRestartedIsOutForTheRestOfTheDelay() {
		ServerState state = parse(MASTER);
		assertThat(state.outFor(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(11));
		assertThat(state.outFor(Duration.ofSeconds(19))).isZero();
		assertThat(state.outFor(Duration.ofSeconds(10))).isZero();
		assertThat(state.outFor(Duration.ZERO)).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "role:master, role:slave, is a replica", "connected_slaves:0, connected_slaves:1, has replicas",
			"cluster_enabled:0, cluster_enabled:1, is a node of a cluster" })
	void serverThatIsNoIndependentMasterIsRefused(String line, String instead, String reason) {
		assertThatExceptionOfType(RedisFailure.class).isThrownBy(() -> parse(MASTER.replace(line, instead)))
			.withMessageStartingWith("UNSUITABLE The server " + reason)
			.matches(RedisFailure::isUnsuitable);
	}

	private static ServerState parse(String info) {
		return ServerState.parse(ServerInfo.parse(info), TIME);
	}

}
