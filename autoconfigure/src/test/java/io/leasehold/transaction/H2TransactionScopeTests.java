package io.leasehold.transaction;

import javax.sql.DataSource;

import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Tag("full")
class H2TransactionScopeTests extends SavepointContract {

	@Override
	String url() {
		return "jdbc:h2:mem:" + getClass().getSimpleName() + ";DB_CLOSE_DELAY=-1";
	}

	@Override
	DataSource database() {
		return new DriverManagerDataSource(url(), "sa", "");
	}

	@Override
	String lockTimeout() {
		return "SELECT LOCK_TIMEOUT()";
	}

	@Override
	boolean savepointsEndLocks() {
		return true;
	}

	/** The snapshot may be older than the lock. */
	@Test
	@Fault(value = 149, engine = "jdbc")
	void repeatableReadIsRefused() {
		transaction(TransactionDefinition.ISOLATION_REPEATABLE_READ)
			.executeWithoutResult((status) -> assertThatIllegalStateException().isThrownBy(() -> lock("order"))
				.withMessageContaining("ScopedShop.inside")
				.withMessageContaining("READ COMMITTED"));
	}

}
