package io.leasehold.autoconfigure;

import io.leasehold.transaction.R2dbcCommitGuards;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;

/**
 * Configuration of locks with reactive transactions.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ Mono.class, R2dbcTransactionManager.class })
class ReactiveTransactionConfiguration {

	/** Binds the property: the bean of all properties would be created too early. */
	@Bean
	static R2dbcCommitGuards leaseholdR2dbcCommitGuards(BeanFactory beans, Environment environment) {
		return new R2dbcCommitGuards(beans,
				environment.getProperty("leasehold.transaction.commit-guard", Boolean.class, true));
	}

}
