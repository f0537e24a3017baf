package io.leasehold;

import java.io.PrintWriter;
import java.io.StringWriter;

import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.server.RedisTestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * No message and no line of the log contains a password if the connection to a store
 * fails, wherever the password was configured.
 */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class SecretMessagesIntegrationTests {

	private static final String SECRET = "s3cr3t";

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
		.withPropertyValues(Leasehold.patient())
		.withPropertyValues("leasehold.wait-time=0s", "leasehold.jdbc.call-timeout=500ms",
				"leasehold.zookeeper.connection-timeout=100ms", "leasehold.zookeeper.call-timeout=100ms",
				"leasehold.memcached.call-timeout=100ms");

	@ParameterizedTest
	@ValueSource(strings = { "etcd endpoints=http://user:s3cr3t@127.0.0.1:1", "etcd endpoints=user:s3cr3t@127.0.0.1:1",
			"etcd endpoints=http://user:s3%cr@s3cr3t@127.0.0.1:1",
			"etcd endpoints=http://127.0.0.1:1 username=user password=s3cr3t",
			"redlock nodes=a:1,b:1,user:s3cr3t@127.0.0.1:1", "redlock nodes=a:1,b:1,redis://:s3cr3t@127.0.0.1:1",
			"redlock nodes=127.0.0.1:1,127.0.0.1:2,127.0.0.1:3 username=user password=s3cr3t",
			"memcached servers=user:s3cr3t@127.0.0.1:1", "memcached servers=memcached://user:s3cr3t@127.0.0.1:1",
			"zookeeper connect-string=user:s3cr3t@127.0.0.1:1",
			"zookeeper connect-string=digest://user:s3cr3t@127.0.0.1:1" })
	void storeOfTheEngine(String configuration, CapturedOutput output) {
		String[] words = configuration.split(" ");
		ApplicationContextRunner configured = this.runner.withPropertyValues("leasehold.engine=" + words[0]);
		for (int i = 1; i < words.length; i++) {
			configured = configured.withPropertyValues("leasehold.%s.%s".formatted(words[0], words[i]));
		}
		assertFailsWithoutThePassword(configured, output);
	}

	@ParameterizedTest
	@ValueSource(strings = { "url=jdbc:postgresql://127.0.0.1:1/db?user=user&password=s3cr3t",
			"url=jdbc:postgresql://user:s3cr3t@127.0.0.1:1/db", "url=jdbc:mysql://user:s3cr3t@127.0.0.1:1/db",
			"url=jdbc:mariadb://127.0.0.1:1/db?user=user&password=s3cr3t", "url=jdbc:nope://user:s3cr3t@127.0.0.1:1/db",
			"url=jdbc:h2:tcp://127.0.0.1:1/db;USER=user;PASSWORD=s3cr3t",
			"url=jdbc:postgresql://127.0.0.1:1/db username=user password=s3cr3t" })
	void databaseOfTheApplication(String configuration, CapturedOutput output) {
		ApplicationContextRunner configured = this.runner
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=jdbc");
		for (String property : configuration.split(" ")) {
			configured = configured.withPropertyValues("spring.datasource." + property);
		}
		assertFailsWithoutThePassword(configured, output);
	}

	@ParameterizedTest
	@ValueSource(strings = { "url=redis://user:s3cr3t@127.0.0.1:1", "host=user:s3cr3t@127.0.0.1",
			"host=127.0.0.1 port=1 username=user password=s3cr3t",
			"sentinel.master=m sentinel.nodes=127.0.0.1:1 sentinel.password=s3cr3t password=s3cr3t",
			"cluster.nodes=127.0.0.1:1 password=s3cr3t", "cluster.nodes=user:s3cr3t@127.0.0.1:1" })
	void redisOfTheApplication(String configuration, CapturedOutput output) {
		ApplicationContextRunner configured = redis();
		for (String property : configuration.split(" ")) {
			configured = configured.withPropertyValues("spring.data.redis." + property);
		}
		assertFailsWithoutThePassword(configured, output);
	}

	@Test
	void passwordThatTheServerRejects(CapturedOutput output) {
		try (RedisTestServer server = RedisTestServer.start("requirepass another")) {
			assertFailsWithoutThePassword(redis().withPropertyValues("spring.data.redis.port=" + server.port(),
					"spring.data.redis.password=" + SECRET), output);
			String node = "127.0.0.1:" + server.port();
			assertFailsWithoutThePassword(this.runner.withPropertyValues("leasehold.engine=redlock",
					"leasehold.redlock.nodes=127.0.0.1:1,127.0.0.1:2," + node, "leasehold.redlock.password=" + SECRET),
					output);
			assertThat(output).contains("WRONGPASS");
		}
	}

	private ApplicationContextRunner redis() {
		return this.runner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=redis");
	}

	private static void assertFailsWithoutThePassword(ApplicationContextRunner configured, CapturedOutput output) {
		configured.run((context) -> {
			Throwable failure = (context.getStartupFailure() != null) ? context.getStartupFailure()
					: catchThrowable(() -> context.getBean(DistributedLocks.class).tryAcquire("order:42"));
			assertThat(failure).isNotNull();
			assertThat(textOf(failure)).doesNotContain(SECRET);
		});
		assertThat(output.getAll()).doesNotContain(SECRET);
	}

	private static String textOf(Throwable failure) {
		StringWriter text = new StringWriter();
		failure.printStackTrace(new PrintWriter(text));
		return text.toString();
	}

}
