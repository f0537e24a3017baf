package io.leasehold.engine.redis;

import java.time.Duration;

import io.leasehold.LockEngineException;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.engine.Claim;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.ManagedRedis.Service;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestServer;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Servers that cannot keep locks: Redis before 6.2, and active replicas of KeyDB. A proxy
 * in front of a real server reports what these servers report.
 */
@Tag("full")
class RedisUnsuitableServersIntegrationTests {

	private static final String ACTIVE = "redis_version:6.3.4\r\nrole:active-replica\r\n";

	private final RedisTestServer server = RedisTestServer.start();

	private final RedisEngines engines = RedisEngines.patient(this.server.port());

	private final ManagedRedis redis = ManagedRedis.start(Service.TAIR_PROXY, this.server.port());

	@AfterEach
	void stop() throws Exception {
		this.engines.close();
		this.redis.close();
		this.server.close();
	}

	@ParameterizedTest
	@CsvSource({ "redis_version:6.0.16, The server has version 6.0.16. Locks need Redis 6.2 or later",
			"redis_version:5.0.3, The server has version 5.0.3. Locks need Redis 6.2 or later",
			"role:active-replica, The server is an active replica of KeyDB" })
	void startupFailsAndSaysWhy(String info, String reason) {
		this.redis.report(info + "\r\n");
		runner().run((context) -> assertThat(context).getFailure()
			.isInstanceOf(LockEngineConfigurationException.class)
			.hasMessageContaining("The Redis engine cannot work with its server: Redis at 127.0.0.1:%d: UNSUITABLE "
				.formatted(this.redis.port()) + reason));
	}

	/** As after a failover to another server at the same address. */
	@Test
	void serverThatReplacesAnotherIsCheckedBeforeItIsUsed() {
		TestMember member = this.engines.warm(new RedisStandaloneConfiguration("127.0.0.1", this.redis.port()));
		Claim held = member.claim("held", Duration.ofSeconds(60), false);
		long number = member.granted(held);
		Claim refused = member.claim("refused");
		this.redis.report(ACTIVE);
		this.engines.server().clientKill(KillArgs.Builder.skipme());
		await().untilAsserted(() -> assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> member.engine().tryAcquire(refused))
			.withMessageContaining("UNSUITABLE The server is an active replica of KeyDB")
			.matches((failure) -> !failure.isRetryable()));
		assertThat(member.renew(held, number)).isInstanceOf(RenewalOutcome.Unknown.class);
		assertThat(this.engines.server().exists(this.engines.keys("refused").lock())).isZero();
		this.redis.report("redis_version:6.2.0\r\nrole:master\r\n");
		await().ignoreExceptions().until(() -> member.granted(refused) > number);
		assertThat(member.renew(held, number)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void serverThatDoesNotReportIsUsed() {
		this.engines.server().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.INFO));
		runner().run((context) -> assertThat(context).hasNotFailed());
		TestMember member = this.engines.member();
		assertThat(member.granted(member.claim("k"))).isPositive();
	}

	private ApplicationContextRunner runner() {
		return Leasehold.runner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=redis", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + this.redis.port(), "leasehold.redis.command-timeout=20s",
					"leasehold.redis.poll-interval=11s", "leasehold.redis.grant-lease=40s",
					"leasehold.redis.min-validity=20s", "leasehold.redis.silence-timeout=20s",
					"leasehold.redis.marker-lifetime=60s", "leasehold.lease=60s");
	}

}
