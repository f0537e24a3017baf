package io.leasehold.autoconfigure.fencing;

import javax.sql.DataSource;

import io.leasehold.FencingGuard;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.transaction.CommitGuards;
import io.leasehold.transaction.JdbcFencingGuard;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.io.ResourceLoader;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Auto-configuration of the fencing guard in the application's database.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass({ PlatformTransactionManager.class, JdbcOperations.class,
		DataSourceScriptDatabaseInitializer.class })
@ConditionalOnSingleCandidate(DataSource.class)
@ConditionalOnBean({ LeaseholdAutoConfiguration.class, PlatformTransactionManager.class })
@ConditionalOnMissingBean(FencingGuard.class)
@EnableConfigurationProperties(FenceTableInitializer.Properties.class)
public final class LeaseholdFencingAutoConfiguration {

	/** Created for the first fenced method; other applications need no table. */
	@Bean
	@Lazy
	JdbcFencingGuard leaseholdFencingGuard(DataSource dataSource, LeaseholdProperties properties,
			FenceTableInitializer.Properties initialization, ResourceLoader resources, CommitGuards guards) {
		FenceTableInitializer.createTable(dataSource, initialization, resources);
		JdbcFencingGuard guard = new JdbcFencingGuard(dataSource, properties.namespace(),
				properties.fencing().retention(), guards);
		FenceTableCheck.run(guard::check);
		return guard;
	}

}
