package io.leasehold.engine.memcached;

import java.time.Duration;
import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.engine.cas.CompareAndSetStore;
import io.leasehold.server.MemcachedTestServer;
import io.leasehold.test.contract.CompareAndSetStoreContract;
import io.leasehold.test.contract.Fault;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The contract of stores, kept by {@link MemcachedStore}.
 */
@Fault(50)
class MemcachedStoreIntegrationTests extends CompareAndSetStoreContract {

	@Override
	protected CompareAndSetStore connect() {
		return MemcachedStore.connect(List.of(MemcachedTestServer.shared().address()), Duration.ofSeconds(5));
	}

	@Fault(51)
	@Test
	void timeToLiveThatMemcachedWouldTakeForADateIsRejected() throws Exception {
		try (MemcachedStore store = (MemcachedStore) connect()) {
			assertThat(store.create("test:longest", "value", MemcachedStore.LONGEST)).isTrue();
			assertThat(store.read("test:longest")).isNotNull();
			assertThatIllegalArgumentException()
				.isThrownBy(() -> store.create("test:longer", "value", MemcachedStore.LONGEST.plusSeconds(1)))
				.withMessageContaining("at most PT719H59M58S");
			assertThat(store.read("test:longer")).isNull();
		}
	}

	/** Without versions, two processes that read a free lock both replace its entry. */
	@Test
	void serverWithoutVersionsIsRejected() throws Exception {
		try (MemcachedTestServer server = MemcachedTestServer.start("-C");
				MemcachedStore store = MemcachedStore.connect(List.of(server.address()), Duration.ofSeconds(5))) {
			Awaitility.await().ignoreExceptions().until(() -> store.create("test:free", "free", Duration.ofMinutes(1)));
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> store.read("test:free"))
				.withMessageStartingWith("memcached at [%s] keeps no versions", server.address())
				.matches((failure) -> !failure.isRetryable());
		}
	}

}
