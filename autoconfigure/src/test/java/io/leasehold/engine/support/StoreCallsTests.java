package io.leasehold.engine.support;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link StoreCalls}.
 */
class StoreCallsTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private final OpenState state = new OpenState("etcd");

	private final StoreCalls calls = new StoreCalls(this.state, TIMEOUT,
			(action, key, failure) -> new LockEngineException(key,
					"could not %s lock '%s': %s".formatted(action, key, failure.getMessage()), failure));

	@Test
	void callHasADeadlineAndReturnsItsResult() {
		long before = System.nanoTime();
		long deadline = this.calls.run("inspect", KEY, (given) -> given);
		assertThat(deadline - TIMEOUT.toNanos() - before).isBetween(0L, System.nanoTime() - before);
	}

	@Test
	void failureOfTheStoreIsTranslated() {
		IOException failure = new IOException("no response");
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> this.calls.run("inspect", KEY, (given) -> {
				throw failure;
			}))
			.withMessage("could not inspect lock 'order:42': no response")
			.withCause(failure);
	}

	@Test
	void exceptionForTheServiceIsThrownAsItIs() {
		LockEngineException failure = new LockEngineException(KEY, "no tokens left", null);
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> this.calls.run("acquire", KEY, (given) -> {
				throw failure;
			}))
			.isSameAs(failure);
	}

	@Test
	void closedEngineSendsNothing() {
		AtomicBoolean sent = new AtomicBoolean();
		this.state.close();
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> this.calls.run("acquire", KEY, (given) -> sent.getAndSet(true)))
			.withMessageContaining("engine 'etcd' is closed");
		assertThat(sent).isFalse();
	}

	@Test
	void callThatFailsBecauseTheEngineIsClosedIsNotRepeated() {
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> this.calls.run("acquire", KEY, (given) -> {
				this.state.close();
				throw new IOException("no connection");
			}))
			.withMessageContaining("engine 'etcd' is closed")
			.matches((failure) -> !failure.isRetryable());
	}

}
