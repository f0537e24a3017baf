package io.leasehold.transaction;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.R2dbcNonTransientResourceException;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A commit of an application's transaction that has nothing to do with locks.
 */
class UnlockedCommitTests {

	@Test
	void failureOfACommitWithoutLocksIsNotDelayed() {
		List<String> calls = new ArrayList<>();
		Connection broken = (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					calls.add(method.getName());
					return method.getName().equals("validate") ? Mono.never()
							: Mono.error(new R2dbcNonTransientResourceException("The connection is broken"));
				});
		GuardedConnection guarded = new GuardedConnection(broken, ConnectionFactories.get("r2dbc:h2:mem:///none"),
				List.of(), true);
		assertThatExceptionOfType(R2dbcException.class)
			.isThrownBy(() -> guarded.commitTransaction().block(Duration.ofMinutes(1)));
		assertThat(calls).containsExactly("commitTransaction");
	}

}
