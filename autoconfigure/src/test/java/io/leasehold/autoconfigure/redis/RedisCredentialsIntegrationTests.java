package io.leasehold.autoconfigure.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Fault;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Where the Redis engine finds credentials, and finds them again after they were changed.
 */
class RedisCredentialsIntegrationTests {

	private static final String USER = "shop";

	private final RedisTestServer server = RedisTestServer.start();

	private final RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.server.port()));

	private final RedisCommands<String, String> operator = this.client.connect().sync();

	private final AtomicReference<String> password = new AtomicReference<>();

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class))
		.withPropertyValues(Leasehold.patient())
		.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + this.server.port());

	@AfterEach
	void stop() {
		this.client.shutdown();
		this.server.close();
	}

	@Fault(135)
	@Test
	void connectionDetailsAreReadForEachConnection() {
		DataRedisConnectionDetails details = new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of("127.0.0.1", RedisCredentialsIntegrationTests.this.server.port());
			}

			@Override
			public String getUsername() {
				return USER;
			}

			@Override
			public String getPassword() {
				return RedisCredentialsIntegrationTests.this.password.get();
			}

		};
		locksThroughout((application) -> application.withBean(DataRedisConnectionDetails.class, () -> details));
	}

	@Fault(135)
	@Test
	void credentialsProviderOfLettuceIsAsked() {
		RedisCredentialsProviderFactory factory = new RedisCredentialsProviderFactory() {

			@Override
			public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
				return RedisCredentialsProvider
					.from(() -> RedisCredentials.just(USER, RedisCredentialsIntegrationTests.this.password.get()));
			}

		};
		LettuceClientConfigurationBuilderCustomizer customizer = (builder) -> builder
			.redisCredentialsProviderFactory(factory);
		locksThroughout((application) -> application.withBean(LettuceClientConfigurationBuilderCustomizer.class,
				() -> customizer));
	}

	private void locksThroughout(UnaryOperator<ApplicationContextRunner> application) {
		rotate("first");
		application.apply(this.runner).run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			await().ignoreExceptions().until(() -> {
				locks.acquire("warm-up").close();
				return true;
			});
			try (HeldLock held = locks.acquire("order:42")) {
				List<String> former = connections();
				assertThat(former).isNotEmpty();
				rotate("second");
				assertThat(connections()).doesNotContainAnyElementsOf(former);
				await().ignoreExceptions().until(() -> {
					locks.acquire("order:43").close();
					return true;
				});
				assertThat(connections()).isNotEmpty();
				assertThat(held.isValid()).isTrue();
			}
		});
	}

	/** Change the account's password, and kill its connections. */
	private void rotate(String next) {
		this.password.set(next);
		this.operator.aclSetuser(USER,
				AclSetuserArgs.Builder.on().resetpass().addPassword(next).allKeys().allChannels().allCommands());
		this.operator.clientKill(KillArgs.Builder.user(USER));
	}

	/** The numbers of the account's connections: new ones may come at any time. */
	private List<String> connections() {
		return this.operator.clientList()
			.lines()
			.filter((line) -> line.contains(" user=" + USER + " "))
			.map((line) -> line.substring(0, line.indexOf(' ')))
			.toList();
	}

}
