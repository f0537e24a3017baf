package io.leasehold.autoconfigure.jdbc;

import java.sql.Connection;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.LockEngineException;
import io.leasehold.autoconfigure.ConditionalOnLockEngine;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.jdbc.JdbcConnections;
import io.leasehold.engine.jdbc.JdbcLockEngine;
import io.leasehold.engine.jdbc.JdbcSettings;
import io.leasehold.engine.jdbc.LockTableException;
import io.leasehold.engine.jdbc.NotificationSockets;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.jdbc.core.JdbcOperations;

/**
 * Auto-configuration of the JDBC engine, with a separate connection pool to the
 * application's database.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass({ HikariDataSource.class, JdbcConnectionDetails.class, JdbcOperations.class })
@ConditionalOnBean({ LeaseholdAutoConfiguration.class, DataSource.class })
@ConditionalOnLockEngine(JdbcLockEngine.NAME)
@EnableConfigurationProperties({ JdbcProperties.class, JdbcLockTableInitializer.Properties.class })
// Boot imports it for a single DataSource only
@Import(DatabaseInitializationDependencyConfigurer.class)
@ImportRuntimeHints(LeaseholdJdbcAutoConfiguration.JdbcHints.class)
public final class LeaseholdJdbcAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	JdbcConnections leaseholdJdbcConnections(JdbcProperties properties, LeaseholdProperties shared, BeanFactory beans,
			Environment environment) {
		properties.toSettings(shared); // reports a mistake before a pool is opened
		return new JdbcDatabase(properties, beans, environment).connections();
	}

	@Bean
	@ConditionalOnMissingBean
	JdbcLockEngine leaseholdJdbcLockEngine(JdbcConnections connections, JdbcProperties properties,
			JdbcLockTableInitializer.Properties initialization, LeaseholdProperties shared, MonotonicClock clock,
			BeanFactory beans, Environment environment, ResourceLoader resources) {
		JdbcSettings settings = properties.toSettings(shared);
		if (initialization.getInitializeSchema() != DatabaseInitializationMode.NEVER) {
			initializer(connections, initialization, resources, properties.table()).initializeDatabase();
		}
		JdbcLockEngine engine = new JdbcLockEngine(connections, settings, clock,
				new JdbcDatabase(properties, beans, environment).ofTransactions());
		try {
			engine.start();
		}
		catch (LockEngineException ex) {
			engine.close();
			throw (ex instanceof LockTableException) ? ex : wrongConnection(ex);
		}
		return engine;
	}

	/** Other beans of the application do not wait for this table. */
	private static JdbcLockTableInitializer initializer(JdbcConnections connections,
			JdbcLockTableInitializer.Properties initialization, ResourceLoader resources, String table) {
		try {
			connections.awaitFirst();
			return new JdbcLockTableInitializer(connections, initialization, resources, table);
		}
		catch (LockEngineException ex) {
			throw wrongConnection(ex);
		}
		catch (IllegalStateException ex) {
			throw new LockEngineConfigurationException(
					"The database product is unknown, so the lock table cannot be created: %s."
						.formatted(NestedExceptionUtils.getMostSpecificCause(ex).getMessage()),
					"Start the database before the application. Or set leasehold.jdbc.initialize-schema to never and "
							+ "create the table yourself, such as with Flyway: then the application starts without its "
							+ "database, and locks fail until it responds.");
		}
	}

	private static LockEngineConfigurationException wrongConnection(LockEngineException ex) {
		return new LockEngineConfigurationException(ex.getMessage() + ".",
				"Check the connection of the application's DataSource, or of the one that leasehold.jdbc.data-source names.");
	}

	public static class JdbcHints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			// Looked up by name, to detect support for LISTEN
			hints.reflection().registerTypeIfPresent(classLoader, "org.postgresql.PGConnection");
			// Created by PostgreSQL's driver
			hints.reflection().registerType(NotificationSockets.class, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
			// For drivers without network timeouts
			hints.proxies().registerJdkProxy(AopProxyUtils.completeJdkProxyInterfaces(Connection.class));
		}

	}

}
