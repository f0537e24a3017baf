package io.leasehold.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.leasehold.autoconfigure.etcd.EtcdConnectionDetails;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

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

	private static List<String> facts(ApplicationContextRunner application) {
		List<String> facts = new ArrayList<>();
		application.run((context) -> {
			assertThat(context).hasNotFailed();
			facts.addAll(Arrays.asList(context.getBeanDefinitionNames()));
			assertThat(context.getBean(EtcdConnectionDetails.class).getUsername()).isNull();
		});
		return facts;
	}

}
