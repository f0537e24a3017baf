package io.leasehold.transaction;

import java.sql.Connection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import static org.awaitility.Awaitility.await;

/**
 * Contract of fencing guards on MySQL or MariaDB.
 */
abstract class MySqlFamilyFencingGuardContract extends FencingGuardContract {

	@Override
	String inZone(String offset) {
		return "SET time_zone = '%s'".formatted(offset);
	}

	/** A statement for all idle rows would lock all others until it ends. */
	@Fault(176)
	@Test
	void purgeThatWaitsForARowLocksNoOther() throws Exception {
		JdbcFencingGuard impatient = guard(
				onEachConnection((connection) -> execute(connection, "SET innodb_lock_wait_timeout = 1")));
		impatient.open(BelievedLock.of(1)).close();
		for (int i = 0; i < 10; i++) {
			impatient.open(new BelievedLock("redis", "key " + i, 1)).close();
		}
		try (Connection blocker = this.dataSource.getConnection()) {
			blocker.setAutoCommit(false);
			blocker.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
			execute(blocker, "SELECT token FROM leasehold_fence WHERE lock_key = 'stock' FOR UPDATE");
			CompletableFuture<Integer> purge = CompletableFuture
				.supplyAsync(() -> guard(this.dataSource).purge(LONG_AGO), (run) -> new Thread(run).start());
			await().until(() -> waiting() > 0);
			for (int i = 0; i < 10; i++) {
				impatient.open(new BelievedLock("redis", "key " + i, 2)).close();
			}
			blocker.rollback();
			purge.join();
		}
	}

	private int waiting() {
		return Objects.requireNonNull(this.jdbc.queryForObject(
				"SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'", Integer.class));
	}

}
