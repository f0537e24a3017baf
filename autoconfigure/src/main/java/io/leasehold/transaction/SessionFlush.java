package io.leasehold.transaction;

import java.util.Objects;

import jakarta.persistence.EntityManager;
import jakarta.persistence.RollbackException;

import org.springframework.dao.DataAccessException;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.hibernate.HibernateTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Writes the changes of a persistence context before the commit that would write them.
 * Only managers of JPA have such a context. One that is merely synchronized with a
 * transaction of JTA or JDBC is closed before the listeners of the manager run. A failure
 * is reported as the commit reports it. Requires spring-orm.
 */
final class SessionFlush {

	private SessionFlush() {
	}

	static void run(ConfigurableTransactionManager manager, DefaultTransactionStatus status) {
		if (manager instanceof JpaTransactionManager jpa) {
			EntityManager session = session(jpa);
			if (isFlushedByCommit(session)) {
				flush(jpa, session, status);
			}
		}
		else if (manager instanceof HibernateTransactionManager hibernate && isFlushedByCommit(session(hibernate))) {
			flush(hibernate, status);
		}
	}

	private static EntityManager session(ResourceTransactionManager manager) {
		Object holder = TransactionSynchronizationManager.getResource(manager.getResourceFactory());
		return ((EntityManagerHolder) Objects.requireNonNull(holder)).getEntityManager();
	}

	/** Hibernate can leave the time of each flush to the application. */
	private static boolean isFlushedByCommit(EntityManager session) {
		return !"MANUAL".equals(String.valueOf(session.getProperties().get("org.hibernate.flushMode")));
	}

	private static void flush(JpaTransactionManager manager, EntityManager session, DefaultTransactionStatus status) {
		try {
			session.flush();
		}
		catch (RuntimeException ex) {
			DataAccessException translated = manager.getJpaDialect().translateExceptionIfPossible(ex);
			if (translated != null) {
				throw translated;
			}
			throw rolledBack(manager, status, new TransactionSystemException("Could not commit JPA transaction",
					new RollbackException("Error while committing the transaction", ex)));
		}
	}

	private static void flush(HibernateTransactionManager manager, DefaultTransactionStatus status) {
		try {
			status.flush();
		}
		catch (TransactionException ex) {
			throw rolledBack(manager, status, ex);
		}
	}

	/** Roll back, which Spring leaves to the commit after such an exception. */
	private static TransactionException rolledBack(AbstractPlatformTransactionManager manager,
			DefaultTransactionStatus status, TransactionException failure) {
		try {
			GuardedTransaction.rollBack(manager, status);
		}
		catch (RuntimeException ex) {
			failure.addSuppressed(ex);
		}
		return failure;
	}

}
