package io.leasehold.autoconfigure;

import java.util.Set;

import io.leasehold.FencingGuard;
import io.leasehold.engine.jdbc.JdbcLockEngine;

import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDependsOnDatabaseInitializationDetector;

/**
 * Makes the JDBC engine wait for its table, whoever creates it: the initializer, Flyway
 * or Liquibase.
 */
class JdbcLockEngineDependsOnDatabaseInitializationDetector
		extends AbstractBeansOfTypeDependsOnDatabaseInitializationDetector {

	@Override
	protected Set<Class<?>> getDependsOnDatabaseInitializationBeanTypes() {
		return Set.of(JdbcLockEngine.class, FencingGuard.class);
	}

}
