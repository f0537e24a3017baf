package io.leasehold.autoconfigure.jdbc;

import java.util.Set;

import io.leasehold.FencingGuard;
import io.leasehold.engine.jdbc.JdbcLockEngine;

import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDependsOnDatabaseInitializationDetector;

/**
 * Detector that initializes beans that use the tables after their initializer, Flyway or
 * Liquibase.
 */
class TablesDependsOnDatabaseInitializationDetector extends AbstractBeansOfTypeDependsOnDatabaseInitializationDetector {

	@Override
	protected Set<Class<?>> getDependsOnDatabaseInitializationBeanTypes() {
		return Set.of(JdbcLockEngine.class, FencingGuard.class);
	}

}
