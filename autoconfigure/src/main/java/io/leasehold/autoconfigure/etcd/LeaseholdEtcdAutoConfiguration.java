package io.leasehold.autoconfigure.etcd;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelRegistry;
import io.leasehold.autoconfigure.ConditionalOnLockEngine;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.etcd.EtcdConnection;
import io.leasehold.engine.etcd.EtcdLockEngine;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.OnPropertyListCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the etcd engine if gRPC is present and its
 * {@link EtcdConnectionDetails connection} is configured.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(ManagedChannel.class)
@ConditionalOnBean(LeaseholdAutoConfiguration.class)
@ConditionalOnLockEngine(EtcdLockEngine.NAME)
@Conditional(LeaseholdEtcdAutoConfiguration.OnConnectionCondition.class)
@EnableConfigurationProperties(EtcdProperties.class)
public final class LeaseholdEtcdAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(EtcdConnectionDetails.class)
	EtcdConnectionDetails leaseholdEtcdConnectionDetails(EtcdProperties properties,
			ObjectProvider<SslBundles> bundles) {
		return new PropertiesEtcdConnectionDetails(properties, bundles);
	}

	@Bean
	@ConditionalOnMissingBean
	EtcdLockEngine leaseholdEtcdLockEngine(EtcdProperties properties, LeaseholdProperties shared,
			EtcdConnectionDetails details, MonotonicClock clock) {
		EtcdConnection connection = EtcdProperties.toConnection(details);
		try {
			return new EtcdLockEngine(connection, properties.toSettings(shared), clock);
		}
		catch (ManagedChannelRegistry.ProviderNotFoundException ex) {
			throw new LockEngineConfigurationException(
					"The etcd engine has no transport of gRPC: %s.".formatted(ex.getMessage()),
					"Add io.grpc:grpc-netty-shaded.");
		}
	}

	static class OnConnectionCondition extends AnyNestedCondition {

		OnConnectionCondition() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnBean(EtcdConnectionDetails.class)
		static class Connection {

		}

		@Conditional(OnEndpointsCondition.class)
		static class Endpoints {

		}

	}

	/** Condition that matches a list, too, in which no single property has the name. */
	static class OnEndpointsCondition extends OnPropertyListCondition {

		OnEndpointsCondition() {
			super("leasehold.etcd.endpoints", () -> ConditionMessage.forCondition("etcd endpoints"));
		}

	}

}
