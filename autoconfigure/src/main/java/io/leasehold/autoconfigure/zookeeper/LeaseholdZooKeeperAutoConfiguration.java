package io.leasehold.autoconfigure.zookeeper;

import java.util.Objects;

import io.leasehold.autoconfigure.ConditionalOnLockEngine;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.zookeeper.ZooKeeperLockEngine;
import io.leasehold.engine.zookeeper.ZooKeeperSettings;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration of the ZooKeeper engine, with a separate session if a
 * {@link ZooKeeperConnectionDetails connection} is configured, otherwise with the
 * application's {@link CuratorFramework}.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnBean(LeaseholdAutoConfiguration.class)
@ConditionalOnClass(CuratorFramework.class)
@ConditionalOnLockEngine(ZooKeeperLockEngine.NAME)
@Conditional(LeaseholdZooKeeperAutoConfiguration.OnClientCondition.class)
@EnableConfigurationProperties(ZooKeeperProperties.class)
public final class LeaseholdZooKeeperAutoConfiguration {

	@Bean
	@Conditional(OnConnectStringCondition.class)
	@ConditionalOnMissingBean
	ZooKeeperConnectionDetails leaseholdZooKeeperConnectionDetails(ZooKeeperProperties properties) {
		return () -> Objects.requireNonNull(properties.connectString());
	}

	@Bean
	@ConditionalOnMissingBean
	ZooKeeperLockEngine leaseholdZooKeeperLockEngine(ZooKeeperProperties properties, LeaseholdProperties shared,
			ObjectProvider<ZooKeeperConnectionDetails> connection, ListableBeanFactory beans, MonotonicClock clock) {
		ZooKeeperSettings settings = properties.toSettings(shared);
		ZooKeeperConnectionDetails details = connection.getIfAvailable();
		if (details == null) {
			return ZooKeeperLockEngine.using(ZooKeeperClients.ofTheApplication(beans), settings, clock);
		}
		return ZooKeeperLockEngine.owning(ZooKeeperClients.own(details, properties, shared),
				properties.sessionTimeout(shared), settings, clock);
	}

	static class OnClientCondition extends AnyNestedCondition {

		OnClientCondition() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnBean(CuratorFramework.class)
		static class Client {

		}

		@ConditionalOnBean(ZooKeeperConnectionDetails.class)
		static class Connection {

		}

		@Conditional(OnConnectStringCondition.class)
		static class ConnectString {

		}

	}

	/** An empty connect string, unlike for Boot's condition, is none. */
	static class OnConnectStringCondition extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			String property = "leasehold.zookeeper.connect-string";
			boolean set = StringUtils.hasText(context.getEnvironment().getProperty(property));
			return new ConditionOutcome(set,
					ConditionMessage.of("%s is %s".formatted(property, set ? "set" : "not set")));
		}

	}

}
