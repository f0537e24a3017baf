package io.leasehold.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

import javax.sql.DataSource;

import jakarta.persistence.EntityManagerFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction managers that the guards are tried with.
 */
enum TransactionKind {

	JDBC((dataSource) -> () -> new DataSourceTransactionManager(dataSource)),

	JPA((dataSource) -> {
		LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
		factory.setDataSource(dataSource);
		factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
		factory.setPersistenceUnitName("transactions");
		factory.setManagedTypes(PersistenceManagedTypes.of(SoldEntity.class.getName()));
		factory.afterPropertiesSet();
		EntityManagerFactory entities = Objects.requireNonNull(factory.getObject());
		return () -> {
			JpaTransactionManager manager = new JpaTransactionManager(entities);
			manager.afterPropertiesSet();
			return manager;
		};
	}),

	/** Commits when a connection that was not rolled back is closed, as Oracle does. */
	OTHER((dataSource) -> () -> new OtherManager(dataSource));

	private final Function<DataSource, Supplier<AbstractPlatformTransactionManager>> factory;

	TransactionKind(Function<DataSource, Supplier<AbstractPlatformTransactionManager>> factory) {
		this.factory = factory;
	}

	AbstractPlatformTransactionManager manager(DataSource dataSource) {
		return managers(dataSource).get();
	}

	/** Those of JPA share the factory of their entity managers, which starts slowly. */
	Supplier<AbstractPlatformTransactionManager> managers(DataSource dataSource) {
		return this.factory.apply(dataSource);
	}

	/**
	 * A manager of another library, whose transaction object only it knows.
	 */
	private static final class OtherManager extends AbstractPlatformTransactionManager {

		private final DataSource dataSource;

		OtherManager(DataSource dataSource) {
			this.dataSource = dataSource;
		}

		@Override
		protected Object doGetTransaction() {
			return new Connection[1];
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			run(() -> {
				Connection connection = this.dataSource.getConnection();
				connection.setAutoCommit(false);
				((@Nullable Connection[]) transaction)[0] = connection;
				TransactionSynchronizationManager.bindResource(this.dataSource, new ConnectionHolder(connection));
			});
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			run(() -> connection(status.getTransaction()).commit());
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			run(() -> connection(status.getTransaction()).rollback());
		}

		@Override
		protected void doCleanupAfterCompletion(Object transaction) {
			TransactionSynchronizationManager.unbindResource(this.dataSource);
			run(() -> {
				connection(transaction).setAutoCommit(true);
				connection(transaction).close();
			});
		}

		private static Connection connection(Object transaction) {
			return ((Connection[]) transaction)[0];
		}

		private static void run(Action action) {
			try {
				action.run();
			}
			catch (SQLException ex) {
				throw new TransactionSystemException("The test's transaction failed", ex);
			}
		}

		private interface Action {

			void run() throws SQLException;

		}

	}

}
