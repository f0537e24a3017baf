package io.leasehold.transaction;

import java.util.Objects;

import javax.sql.DataSource;

import jakarta.persistence.EntityManagerFactory;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.JpaTransactionManager;

/**
 * Transactions of JPA in the application's database.
 */
@Configuration(proxyBeanMethods = false)
class JpaTransactions {

	@Bean
	JpaTransactionManager transactionManager(DataSource dataSource) {
		return (JpaTransactionManager) TransactionKind.JPA.manager(dataSource);
	}

	@Bean
	EntityManagerFactory entityManagerFactory(JpaTransactionManager transactionManager) {
		return Objects.requireNonNull(transactionManager.getEntityManagerFactory());
	}

}
