package io.leasehold.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.util.ClassUtils;

/**
 * Commit that a thread has begun. If it failed, its outcome is known only if the
 * connection still works: then the database has responded and has rejected it. Spring's
 * status does not suffice. It reports a rejected commit as unknown, and a JPA commit
 * without a response as rolled back. Confined to one thread.
 */
final class CommitAttempt {

	private static final ThreadLocal<@Nullable CommitAttempt> LAST = new ThreadLocal<>();

	static final String JDBC_OBJECT = "org.springframework.jdbc.datasource.JdbcTransactionObjectSupport";

	private static final boolean JDBC = ClassUtils.isPresent(JDBC_OBJECT, CommitAttempt.class.getClassLoader());

	/** Longest wait for the response of a connection that may be broken. */
	static final Duration TIMEOUT = Duration.ofSeconds(5);

	private final TransactionExecution transaction;

	private final boolean jdbc;

	private final @Nullable Connection connection;

	/** The attempt inside which this one begins, as in a callback of JPA. */
	private final @Nullable CommitAttempt outer;

	private @Nullable Boolean unknown;

	private CommitAttempt(TransactionExecution transaction, @Nullable CommitAttempt outer) {
		this.transaction = transaction;
		this.outer = outer;
		this.jdbc = JDBC && JdbcConnection.isUsedBy(transaction);
		this.connection = this.jdbc ? JdbcConnection.of(transaction) : null;
	}

	/** Record that the current thread begins a commit, unless it is recorded. */
	static void begin(TransactionExecution transaction) {
		if (of(transaction) != null) {
			return;
		}
		CommitAttempt outer = LAST.get();
		while (outer != null && outer.transaction.isCompleted()) {
			outer = outer.outer; // its end was not reported
		}
		LAST.set(new CommitAttempt(transaction, outer));
	}

	/** Return the attempt to commit a transaction, {@code null} if there was none. */
	static @Nullable CommitAttempt of(TransactionExecution transaction) {
		CommitAttempt attempt = LAST.get();
		while (attempt != null && attempt.transaction != transaction) {
			attempt = attempt.outer;
		}
		return attempt;
	}

	/** Forget this attempt, and those inside it. */
	void forget() {
		if (this.outer != null) {
			LAST.set(this.outer);
		}
		else {
			LAST.remove();
		}
	}

	/**
	 * Return whether the outcome of the commit is unknown. The first call decides.
	 * @param completion the status that Spring reports
	 */
	boolean isUnknown(int completion) {
		Boolean decided = this.unknown;
		if (decided == null) {
			decided = switch (completion) {
				case TransactionSynchronization.STATUS_COMMITTED -> false;
				case TransactionSynchronization.STATUS_UNKNOWN -> !this.jdbc || !isWorking();
				default -> this.jdbc && !isWorking();
			};
			this.unknown = decided;
		}
		return decided;
	}

	private boolean isWorking() {
		try {
			return this.connection != null && this.connection.isValid((int) TIMEOUT.toSeconds());
		}
		catch (SQLException ex) {
			return false;
		}
	}

	/** Class of its own, because spring-jdbc is optional. */
	private static final class JdbcConnection {

		static boolean isUsedBy(TransactionExecution transaction) {
			return transaction instanceof DefaultTransactionStatus status && status.hasTransaction()
					&& status.getTransaction() instanceof JdbcTransactionObjectSupport;
		}

		static @Nullable Connection of(TransactionExecution transaction) {
			return transaction instanceof DefaultTransactionStatus status
					&& status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
					&& jdbc.hasConnectionHolder() ? jdbc.getConnectionHolder().getConnection() : null;
		}

	}

}
