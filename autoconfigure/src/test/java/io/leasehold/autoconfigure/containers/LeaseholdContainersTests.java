package io.leasehold.autoconfigure.containers;

import io.leasehold.autoconfigure.etcd.EtcdConnectionDetails;
import io.leasehold.autoconfigure.memcached.MemcachedConnectionDetails;
import io.leasehold.autoconfigure.zookeeper.ZooKeeperConnectionDetails;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.context.ImportTestcontainers;
import org.springframework.boot.testcontainers.service.connection.PemTrustStore;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Connections of Testcontainers, by the names of images and by names in annotations.
 */
class LeaseholdContainersTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class));

	@Test
	void imagesAreRecognized() {
		this.runner.withUserConfiguration(Images.class).run((context) -> {
			EtcdConnectionDetails etcd = context.getBean(EtcdConnectionDetails.class);
			assertThat(etcd.getEndpoints()).containsExactly("http://localhost:32379");
			assertThat(etcd.getUsername()).isNull();
			assertThat(etcd.getPassword()).isNull();
			assertThat(etcd.getSslBundle()).isNull();
			assertThat(context.getBean(ZooKeeperConnectionDetails.class).getConnectString())
				.isEqualTo("localhost:32181");
			assertThat(context.getBean(MemcachedConnectionDetails.class).getServers())
				.containsExactly("localhost:41211");
		});
	}

	@Test
	void namesUserAndSslAreRecognized() {
		this.runner.withUserConfiguration(Names.class).run((context) -> {
			EtcdConnectionDetails etcd = context.getBean(EtcdConnectionDetails.class);
			assertThat(etcd.getEndpoints()).containsExactly("https://localhost:32379");
			assertThat(etcd.getUsername()).isEqualTo("root");
			assertThat(etcd.getPassword()).isEqualTo("secret");
			assertThat(etcd.getSslBundle()).isNotNull();
			assertThat(context).hasSingleBean(ZooKeeperConnectionDetails.class)
				.hasSingleBean(MemcachedConnectionDetails.class);
		});
	}

	@ImportTestcontainers
	static class Images {

		@ServiceConnection
		static final FakeContainer etcd = new FakeContainer("quay.io/coreos/etcd:v3.5.21", 32379)
			.withEnv("ETCD_ROOT_PASSWORD", "");

		@ServiceConnection
		static final FakeContainer zooKeeper = new FakeContainer("zookeeper:3.9", 32181);

		@ServiceConnection
		static final FakeContainer memcached = new FakeContainer("bitnamilegacy/memcached:1.6", 41211);

	}

	static class Names {

		@Bean
		@PemTrustStore(certificate = "classpath:trusted.pem")
		@ServiceConnection("etcd")
		FakeContainer etcd() {
			return new FakeContainer("shop/etcd-of-our-own", 32379).withEnv("ETCD_ROOT_PASSWORD", "secret");
		}

		@Bean
		@ServiceConnection("zookeeper")
		FakeContainer zooKeeper() {
			return new FakeContainer("shop/keeper", 32181);
		}

		@Bean
		@ServiceConnection("memcached")
		FakeContainer memcached() {
			return new FakeContainer("shop/cache", 41211);
		}

	}

}
