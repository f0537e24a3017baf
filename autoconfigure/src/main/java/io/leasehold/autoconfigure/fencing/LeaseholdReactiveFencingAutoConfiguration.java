package io.leasehold.autoconfigure.fencing;

import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.reactive.ReactiveFencingGuard;
import io.leasehold.reactive.ReactiveTransactions;
import io.leasehold.transaction.R2dbcFencingGuard;
import io.r2dbc.spi.ConnectionFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.r2dbc.init.R2dbcScriptDatabaseInitializer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.transaction.ReactiveTransactionManager;

/**
 * Auto-configuration of the fencing guard of reactive transactions.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass({ Mono.class, R2dbcScriptDatabaseInitializer.class })
@ConditionalOnSingleCandidate(ConnectionFactory.class)
@ConditionalOnBean({ LeaseholdAutoConfiguration.class, ReactiveTransactionManager.class })
@ConditionalOnMissingBean(ReactiveFencingGuard.class)
public final class LeaseholdReactiveFencingAutoConfiguration {

	/** Created for the first fenced method; other applications need no table. */
	@Bean
	@Lazy
	@DependsOnDatabaseInitialization
	R2dbcFencingGuard leaseholdR2dbcFencingGuard(ConnectionFactory database, LeaseholdProperties properties,
			ReactiveTransactions transactions, Environment environment, ResourceLoader resources) {
		R2dbcFencingGuard guard = new R2dbcFencingGuard(database, properties.namespace(),
				properties.fencing().retention(), transactions);
		Runnable table = () -> {
			ReactiveFenceTableInitializer.createTable(database, environment, resources);
			FenceTableCheck.run(guard.check()::block);
		};
		if (Schedulers.isInNonBlockingThread()) { // by the first call that succeeds
			guard.prepare(Mono.fromRunnable(table)
				.subscribeOn(Schedulers.boundedElastic())
				.thenReturn(true)
				.cacheInvalidateIf((created) -> false));
		}
		else {
			table.run();
		}
		return guard;
	}

}
