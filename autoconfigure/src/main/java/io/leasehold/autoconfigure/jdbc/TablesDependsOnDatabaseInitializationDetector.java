package io.leasehold.autoconfigure.jdbc;

import java.util.Set;

import io.leasehold.FencingGuard;
import io.leasehold.engine.jdbc.JdbcLockEngine;

import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDependsOnDatabaseInitializationDetector;

/**
 * Detector of the beans that use the tables. The application's migrations, such as those
 * of Flyway or Liquibase, run before.
 */
class TablesDependsOnDatabaseInitializationDetector extends AbstractBeansOfTypeDependsOnDatabaseInitializationDetector {

	@Override
	protected Set<Class<?>> getDependsOnDatabaseInitializationBeanTypes() {
		return Set.of(JdbcLockEngine.class, FencingGuard.class);
	}

}
