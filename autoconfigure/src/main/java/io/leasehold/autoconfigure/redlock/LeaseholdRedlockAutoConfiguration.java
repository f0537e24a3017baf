package io.leasehold.autoconfigure.redlock;

import java.util.List;
import java.util.regex.Pattern;

import io.leasehold.autoconfigure.ConditionalOnLockEngine;
import io.leasehold.autoconfigure.EngineValues;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redlock.RedlockLockEngine;
import io.leasehold.engine.redlock.RedlockSettings;
import io.lettuce.core.RedisClient;

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
 * Auto-configuration of the Redlock engine, with connections to the
 * {@link RedlockConnectionDetails masters} by Lettuce.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnBean(LeaseholdAutoConfiguration.class)
@ConditionalOnClass(RedisClient.class)
@ConditionalOnLockEngine(RedlockLockEngine.NAME)
@Conditional(LeaseholdRedlockAutoConfiguration.OnMastersCondition.class)
@EnableConfigurationProperties(RedlockProperties.class)
public final class LeaseholdRedlockAutoConfiguration {

	/** Host, or IPv6 address with or without brackets, and port. */
	private static final Pattern ADDRESS = Pattern.compile("\\[?([^\\[\\]]+)]?:(\\d{1,5})");

	@Bean
	@ConditionalOnMissingBean
	RedlockConnectionDetails leaseholdRedlockConnectionDetails(RedlockProperties properties,
			ObjectProvider<SslBundles> bundles) {
		return new PropertiesRedlockConnectionDetails(properties, bundles);
	}

	@Bean
	@ConditionalOnMissingBean
	RedlockLockEngine leaseholdRedlockLockEngine(RedlockConnectionDetails details, RedlockProperties properties,
			LeaseholdProperties shared, MonotonicClock clock) {
		RedlockSettings settings = properties.toSettings(shared);
		EngineValues.refuseCredentials("leasehold.redlock.nodes", details.getNodes(),
				"Set leasehold.redlock.username and leasehold.redlock.password instead.");
		List<Node> masters = details.getNodes().stream().map(LeaseholdRedlockAutoConfiguration::parse).toList();
		RedlockLockEngine engine = null;
		try {
			RedlockLockEngine.checkAddresses(masters);
			engine = new RedlockLockEngine(
					new LettuceConnector(LettuceTransport.of(details.getSslBundle(), null), settings.commandTimeout()),
					masters, () -> login(details), settings, clock);
			engine.checkMasters();
			return engine;
		}
		catch (IllegalArgumentException | IllegalStateException ex) {
			if (engine != null) {
				engine.close();
			}
			throw EngineValues.invalid("Redlock", RedlockProperties.CORRECTION, ex);
		}
	}

	private static Node parse(String address) {
		var parts = ADDRESS.matcher(address.trim());
		int port = parts.matches() ? Integer.parseInt(parts.group(2)) : 0;
		if (port < 1 || port > 65_535) {
			throw new LockEngineConfigurationException(
					"The address '%s' in leasehold.redlock.nodes is not a host and a port.".formatted(address),
					"Write the address of each master as 'host:port', such as 'redis-1:6379'.");
		}
		return new Node(parts.group(1), port);
	}

	private static Login login(RedlockConnectionDetails details) {
		String password = details.getPassword();
		return new Login(details.getUsername(), (password != null) ? password.toCharArray() : null, 0);
	}

	static class OnMastersCondition extends AnyNestedCondition {

		OnMastersCondition() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnBean(RedlockConnectionDetails.class)
		static class Connection {

		}

		@Conditional(OnNodesCondition.class)
		static class Nodes {

		}

	}

	static class OnNodesCondition extends OnPropertyListCondition {

		OnNodesCondition() {
			super("leasehold.redlock.nodes", () -> ConditionMessage.forCondition("Redlock masters"));
		}

	}

}
