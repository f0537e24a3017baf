package io.leasehold.transaction;

import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import org.springframework.core.NestedRuntimeException;
import org.springframework.transaction.TransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class PostgresTransactionScopeIntegrationTests extends SharedTransactionScopeContract {

	@Override
	String url() {
		return PostgresTestServer.shared().url();
	}

	@Override
	String lockTimeout() {
		return "SHOW lock_timeout";
	}

	@Override
	boolean savepointsEndLocks() {
		return true;
	}

	/** The snapshot may be older than the lock. */
	@Test
	@Fault(value = 149, engine = "jdbc")
	void snapshotsAreRefused() {
		for (int isolation : new int[] { TransactionDefinition.ISOLATION_REPEATABLE_READ,
				TransactionDefinition.ISOLATION_SERIALIZABLE }) {
			transaction(isolation)
				.executeWithoutResult((status) -> assertThatIllegalStateException().isThrownBy(() -> lock("order"))
					.withMessageContaining("ScopedShop.inside")
					.withMessageContaining("READ COMMITTED"));
		}
	}

	/** What a client's death is to the database. */
	@Test
	@Fault(value = 147, engine = "jdbc")
	void connectionThatEndsFreesItsLocks() {
		assertThatExceptionOfType(NestedRuntimeException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				lock("order");
				sold("nothing");
				Integer backend = this.jdbc.queryForObject("SELECT pg_backend_pid()", Integer.class);
				this.observer.queryForObject("SELECT pg_terminate_backend(?, 60000)", Boolean.class, backend);
				assertThat(isFreeForOthers("order")).isTrue();
			}));
		assertThat(sold()).isEmpty();
	}

}
