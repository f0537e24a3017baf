package io.leasehold.transaction;

import io.leasehold.server.MySqlTestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Tag("full")
class MySqlTransactionScopeIntegrationTests extends MySqlFamilyTransactionScopeContract {

	@Override
	String url() {
		return MySqlTestServer.shared().url();
	}

	@Test
	void readOnlyTransactionIsRefused() {
		TransactionTemplate readOnly = transaction(TransactionDefinition.ISOLATION_READ_COMMITTED);
		readOnly.setReadOnly(true);
		readOnly.executeWithoutResult((status) -> assertThatIllegalStateException().isThrownBy(() -> lock("order"))
			.withMessageContaining("ScopedShop.inside")
			.withMessageContaining("read-only"));
	}

}
