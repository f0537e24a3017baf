package io.leasehold.autoconfigure;

import java.util.Objects;

import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.zookeeper.ZooKeeperLockEngine;
import io.leasehold.engine.zookeeper.ZooKeeperSettings;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Auto-configuration of the ZooKeeper engine, through the application's
 * {@link CuratorFramework} or one of its own.
 */
@AutoConfiguration(afterName = "org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration")
@ConditionalOnClass(CuratorFramework.class)
@ConditionalOnLockEngine(ZooKeeperLockEngine.NAME)
@Conditional(LeaseholdZooKeeperAutoConfiguration.OnClientCondition.class)
@EnableConfigurationProperties(ZooKeeperProperties.class)
public final class LeaseholdZooKeeperAutoConfiguration {

	private static final int RETRY_MILLIS = 200;

	LeaseholdZooKeeperAutoConfiguration() {
	}

	@Bean(initMethod = "start", destroyMethod = "close")
	@ConditionalOnMissingBean
	CuratorFramework zooKeeperLockClient(ZooKeeperProperties properties, LeaseholdProperties shared) {
		String connectString = Objects.requireNonNull(properties.getConnectString());
		// Callers never wait for its retries: the engine bounds each call by itself
		return CuratorFrameworkFactory.newClient(connectString,
				Math.toIntExact(properties.sessionTimeout(shared).toMillis()),
				Math.toIntExact(properties.getConnectionTimeout().toMillis()), new RetryForever(RETRY_MILLIS));
	}

	@Bean
	@ConditionalOnMissingBean
	ZooKeeperLockEngine zooKeeperLockEngine(CuratorFramework client, ZooKeeperProperties properties,
			LeaseholdProperties shared, MonotonicClock clock) {
		ZooKeeperSettings settings = properties.toSettings(shared);
		return ZooKeeperLockEngine.using(client, settings, clock);
	}

	static class OnClientCondition extends AnyNestedCondition {

		OnClientCondition() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnBean(CuratorFramework.class)
		static class Client {

		}

		@ConditionalOnProperty("leasehold.zookeeper.connect-string")
		static class ConnectString {

		}

	}

}
