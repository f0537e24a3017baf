package io.leasehold.autoconfigure.redis;

import java.util.List;

import io.leasehold.autoconfigure.LockEngineConfigurationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

class RedisServersTests {

	@Test
	void singleServerIsTheApplicationsOwn() {
		RedisStandaloneConfiguration server = (RedisStandaloneConfiguration) new RedisServers(new Details(null),
				new MockEnvironment())
			.configuration();
		assertThat(server.getHostName()).isEqualTo("redis.example");
		assertThat(server.getPort()).isEqualTo(6380);
		assertThat(server.getDatabase()).isEqualTo(3);
		assertThat(server.getUsername()).isEqualTo("shop");
		assertThat(server.getPassword()).isEqualTo(RedisPassword.of("secret"));
	}

	@Test
	void sentinelsAreTheApplicationsOwn() {
		RedisSentinelConfiguration master = (RedisSentinelConfiguration) new RedisServers(new Details(null) {

			@Override
			public Sentinel getSentinel() {
				return new Watch();
			}

		}, new MockEnvironment()).configuration();
		assertThat(master.getMaster().getName()).isEqualTo("mymaster");
		assertThat(master.getSentinels()).extracting("host", "port").containsExactly(tuple("a", 1), tuple("b", 2));
		assertThat(master.getSentinelUsername()).isEqualTo("watcher");
		assertThat(master.getSentinelPassword()).isEqualTo(RedisPassword.of("quiet"));
		assertThat(master.getDatabase()).isEqualTo(4);
		assertThat(master.getUsername()).isEqualTo("shop");
		assertThat(master.getPassword()).isEqualTo(RedisPassword.of("secret"));
	}

	@Test
	void clusterIsTheApplicationsOwn() {
		RedisClusterConfiguration cluster = (RedisClusterConfiguration) new RedisServers(new Details(null) {

			@Override
			public Cluster getCluster() {
				return () -> List.of(new Node("a", 1), new Node("b", 2));
			}

		}, new MockEnvironment()).configuration();
		assertThat(cluster.getClusterNodes()).extracting("host", "port")
			.containsExactlyInAnyOrder(tuple("a", 1), tuple("b", 2));
		assertThat(cluster.getUsername()).isEqualTo("shop");
		assertThat(cluster.getPassword()).isEqualTo(RedisPassword.of("secret"));
	}

	@Test
	void nodesWithoutAWordOnTheirMasterAreRefused() {
		RedisServers servers = new RedisServers(new Details(null) {

			@Override
			public MasterReplica getMasterReplica() {
				return () -> List.of(new Node("a", 1), new Node("b", 2));
			}

		}, new MockEnvironment());
		assertThatExceptionOfType(LockEngineConfigurationException.class).isThrownBy(servers::configuration)
			.withMessageContaining("spring.data.redis.masterreplica");
	}

	@Test
	void connectionIsPlainUnlessAskedFor() {
		assertThat(new RedisServers(new Details(null), new MockEnvironment()).ssl()).isNull();
		assertThat(new RedisServers(new Details(null), url("redis://redis.example")).ssl()).isNull();
	}

	@Test
	void schemeOfTheUrlAsksForEncryption() {
		assertThat(new RedisServers(new Details(null), url("rediss://redis.example")).ssl()).isNotNull();
	}

	@Test
	void bundleSaysHowToEncrypt() {
		SslBundle bundle = SslBundle.of(SslStoreBundle.NONE);
		assertThat(new RedisServers(new Details(bundle), new MockEnvironment()).ssl()).isSameAs(bundle);
	}

	@Test
	void connectionsHaveTheApplicationsClientName() {
		MockEnvironment environment = new MockEnvironment().withProperty("spring.data.redis.client-name", "shop");
		assertThat(new RedisServers(new Details(null), environment).clientName()).isEqualTo("shop");
		assertThat(new RedisServers(new Details(null), new MockEnvironment()).clientName()).isNull();
	}

	private static MockEnvironment url(String url) {
		return new MockEnvironment().withProperty("spring.data.redis.url", url);
	}

	/** What Boot, or a service connection, knows of the servers. */
	private static class Details implements DataRedisConnectionDetails {

		private final @Nullable SslBundle bundle;

		Details(@Nullable SslBundle bundle) {
			this.bundle = bundle;
		}

		@Override
		public String getUsername() {
			return "shop";
		}

		@Override
		public String getPassword() {
			return "secret";
		}

		@Override
		public @Nullable SslBundle getSslBundle() {
			return this.bundle;
		}

		@Override
		public Standalone getStandalone() {
			return Standalone.of("redis.example", 6380, 3);
		}

	}

	private static final class Watch implements DataRedisConnectionDetails.Sentinel {

		@Override
		public int getDatabase() {
			return 4;
		}

		@Override
		public String getMaster() {
			return "mymaster";
		}

		@Override
		public List<DataRedisConnectionDetails.Node> getNodes() {
			return List.of(new DataRedisConnectionDetails.Node("a", 1), new DataRedisConnectionDetails.Node("b", 2));
		}

		@Override
		public String getUsername() {
			return "watcher";
		}

		@Override
		public String getPassword() {
			return "quiet";
		}

	}

}
