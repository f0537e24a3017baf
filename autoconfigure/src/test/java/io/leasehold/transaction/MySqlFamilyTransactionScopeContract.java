package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import org.springframework.core.NestedRuntimeException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Contract of locks that are part of a transaction of MySQL or MariaDB.
 */
abstract class MySqlFamilyTransactionScopeContract extends SharedTransactionScopeContract {

	@Override
	String lockTimeout() {
		return "SELECT @@SESSION.innodb_lock_wait_timeout";
	}

	@Override
	boolean savepointsEndLocks() {
		return false;
	}

	/** The default level, whose snapshot begins with the first read after the lock. */
	@Test
	@Fault(value = 149, engine = "jdbc")
	void repeatableReadThatBeginsWithTheLockLosesNoUpdate() {
		TransactionTemplate repeatable = transaction(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		List<Future<?>> all = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			all.add(inOtherThread(() -> {
				for (int j = 0; j < 25; j++) {
					repeatable.executeWithoutResult((status) -> this.shop.sell());
				}
				return null;
			}));
		}
		all.forEach(ScopedTransactions::get);
		assertThat(this.shop.units()).isZero();
	}

	/**
	 * A lock that waits for a row that others insert would be in a deadlock with them.
	 */
	@Test
	void newKeyIsNoDeadlockAtAnyLevel() {
		for (int isolation : new int[] { TransactionDefinition.ISOLATION_READ_COMMITTED,
				TransactionDefinition.ISOLATION_REPEATABLE_READ, TransactionDefinition.ISOLATION_SERIALIZABLE }) {
			TransactionTemplate level = transaction(isolation);
			for (int round = 0; round < 10; round++) {
				String key = "new %d %d".formatted(isolation, round);
				List<Future<?>> all = new ArrayList<>();
				for (int i = 0; i < 4; i++) {
					all.add(inOtherThread(() -> {
						level.executeWithoutResult((status) -> {
							this.shop.patiently(key);
							sold(key);
							status.setRollbackOnly();
						});
						return null;
					}));
				}
				all.forEach(ScopedTransactions::get);
			}
		}
		assertThat(sold()).isEmpty();
	}

	/** The database ends all locks of a client that is gone. */
	@Test
	@Fault(value = 147, engine = "jdbc")
	void connectionThatEndsFreesItsLocks() {
		assertThatConnectionFails(() -> this.transaction.executeWithoutResult((status) -> {
			lock("order");
			sold("nothing");
			Long connection = this.jdbc.queryForObject("SELECT CONNECTION_ID()", Long.class);
			this.observer.execute("KILL " + connection);
			await().until(() -> isFreeForOthers("order"));
		}));
		assertThat(sold()).isEmpty();
	}

	/** A replica locks rows as well, apart from the primary. */
	@Test
	@Fault(value = { 47, 181 }, engine = "jdbc")
	void serverThatIsReadOnlyIsRefused() {
		this.transaction.executeWithoutResult((status) -> lock("order"));
		this.observer.execute("SET GLOBAL read_only = 1");
		try {
			this.transaction
				.executeWithoutResult((status) -> assertThatIllegalStateException().isThrownBy(() -> lock("order"))
					.withMessageContaining("ScopedShop.inside")
					.withMessageContaining("its server is read-only"));
		}
		finally {
			this.observer.execute("SET GLOBAL read_only = 0");
		}
		this.transaction.executeWithoutResult((status) -> lock("order"));
	}

	private static void assertThatConnectionFails(Runnable work) {
		assertThatExceptionOfType(NestedRuntimeException.class).isThrownBy(work::run);
	}

}
