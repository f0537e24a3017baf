package io.leasehold.transaction;

import java.util.Map;

import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.autoconfigure.fencing.LeaseholdReactiveFencingAutoConfiguration;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.connection.lookup.AbstractRoutingConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Application with a database for each tenant, and none without a tenant.
 */
class RoutedShopTests {

	@Test
	void applicationWithoutDefaultDatabaseStarts() {
		ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(Tenants.class);
		runner.run((context) -> assertThat(context).hasNotFailed());
		runner
			.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
					LeaseholdLocalAutoConfiguration.class, LeaseholdReactiveFencingAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=local")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Configuration(proxyBeanMethods = false)
	static class Tenants {

		@Bean
		ConnectionFactory tenants() {
			AbstractRoutingConnectionFactory routing = new AbstractRoutingConnectionFactory() {

				@Override
				protected Mono<Object> determineCurrentLookupKey() {
					return Mono.deferContextual((context) -> Mono.justOrEmpty(context.getOrEmpty("tenant")));
				}

			};
			routing.setTargetConnectionFactories(Map.of("one", ConnectionFactories.get("r2dbc:h2:mem:///one")));
			return routing;
		}

		@Bean
		R2dbcTransactionManager manager(ConnectionFactory tenants) {
			return new R2dbcTransactionManager(tenants);
		}

	}

}
