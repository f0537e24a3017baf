package io.leasehold.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.leasehold.autoconfigure.etcd.EtcdConnectionDetails;
import io.leasehold.autoconfigure.redlock.RedlockConnectionDetails;
import io.leasehold.autoconfigure.zookeeper.ZooKeeperConnectionDetails;
import io.leasehold.transaction.R2dbcFencingGuard;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An optional text that is empty is not set, as in the properties of Spring Boot: a
 * placeholder with an empty default, such as <code>${ETCD_USER:}</code>, may be its
 * value.
 */
class EmptyPropertiesTests {

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class))
		.withPropertyValues("leasehold.engine=local", "leasehold.etcd.enabled=true", "leasehold.redlock.enabled=true",
				"leasehold.redis.enabled=true", "leasehold.jdbc.enabled=true", "spring.data.redis.port=1",
				"leasehold.etcd.endpoints=http://127.0.0.1:1",
				"leasehold.redlock.nodes=127.0.0.1:1,127.0.0.1:2,127.0.0.1:3",
				"spring.datasource.generate-unique-name=true");

	@ParameterizedTest
	@ValueSource(strings = { "leasehold.async.executor", "leasehold.etcd.password", "leasehold.etcd.session-timeout",
			"leasehold.etcd.ssl.bundle", "leasehold.etcd.username", "leasehold.fencing.platform",
			"leasehold.jdbc.data-source", "leasehold.jdbc.platform", "leasehold.leadership.engine",
			"leasehold.leadership.lease", "leasehold.leadership.roles", "leasehold.redis.connection-factory",
			"leasehold.redlock.password", "leasehold.redlock.ssl.bundle", "leasehold.redlock.username",
			"leasehold.slow-hold", "leasehold.slow-wait", "leasehold.zookeeper.session-timeout" })
	void emptyTextIsNotSet(String property) {
		assertThat(facts(this.runner.withPropertyValues(property + "="))).isEqualTo(facts(this.runner));
	}

	@ParameterizedTest
	@ValueSource(strings = { "leasehold.fencing.platform", "leasehold.fencing.schema" })
	void tableOfReactiveFencesIsCreatedByTheScriptOfTheDatabase(String property) {
		Leasehold.runner()
			.withConfiguration(AutoConfigurations.of(R2dbcAutoConfiguration.class,
					R2dbcTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=local", property + "=",
					"spring.r2dbc.url=r2dbc:h2:mem:///%s?options=DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()))
			.run((context) -> assertThat(context.getBean(R2dbcFencingGuard.class).check().blockOptional()).isEmpty());
	}

	/** A list of addresses without any is a mistake. */
	@ParameterizedTest
	@CsvSource({ "etcd, leasehold.etcd.endpoints, ''", "etcd, leasehold.etcd.endpoints, ','",
			"redlock, leasehold.redlock.nodes, ''", "redlock, leasehold.redlock.nodes, ','",
			"memcached, leasehold.memcached.servers, ''", "memcached, leasehold.memcached.servers, ','" })
	void emptyListFailsStartupByItsName(String engine, String property, String value) {
		Leasehold.runner()
			.withPropertyValues("leasehold.engine=" + engine, property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining(property));
	}

	@Test
	void zooKeeperOfTheApplicationIsUsed() {
		CuratorFramework own = CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryForever(100));
		this.runner.withPropertyValues("leasehold.zookeeper.enabled=true", "leasehold.zookeeper.connect-string=")
			.withBean(CuratorFramework.class, () -> own)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ZooKeeperConnectionDetails.class));
	}

	private static List<String> facts(ApplicationContextRunner application) {
		List<String> facts = new ArrayList<>();
		application.run((context) -> {
			assertThat(context).hasNotFailed();
			facts.addAll(Arrays.asList(context.getBeanDefinitionNames()));
			facts.addAll(values(context));
		});
		return facts;
	}

	private static List<String> values(ApplicationContext context) {
		LeaseholdProperties shared = context.getBean(LeaseholdProperties.class);
		EtcdConnectionDetails etcd = context.getBean(EtcdConnectionDetails.class);
		RedlockConnectionDetails redlock = context.getBean(RedlockConnectionDetails.class);
		return Stream
			.of(shared.slowHold(), shared.slowWait(), etcd.getUsername(), etcd.getPassword(), etcd.getSslBundle(),
					redlock.getUsername(), redlock.getPassword(), redlock.getSslBundle())
			.map(String::valueOf)
			.toList();
	}

}
