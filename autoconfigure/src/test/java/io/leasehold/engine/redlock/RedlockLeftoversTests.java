package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.RedisFailure;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Ends of claims that had no response, in a process that can create no thread at the
 * moment in which they are kept.
 */
class RedlockLeftoversTests {

	private final ScriptedMasters masters = new ScriptedMasters(1);

	/** Whether the system has no thread left. */
	private volatile boolean exhausted;

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(2, (task) -> {
		if (this.exhausted) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		return new Thread(task);
	});

	private final Master master = new Master(this.masters.nodes().get(0), this.masters, () -> new Login(null, null, 0),
			RedlockOpener.settings("ns"), this.executor, new ConcurrentHashMap<>());

	@AfterEach
	void stop() {
		this.executor.shutdownNow();
	}

	@Test
	void endIsSentWithTheNextThreadIfThereIsNone() {
		await().until(() -> this.master.query().isDone());
		AtomicInteger requests = new AtomicInteger();
		this.exhausted = true;
		Throwable failure = catchThrowable(() -> this.master.sendEnd((line) -> (requests.incrementAndGet() == 1)
				? CompletableFuture.failedFuture(RedisFailure.noResponse("connection is closed", null))
				: CompletableFuture.completedFuture(1L), Duration.ofMinutes(1))
			.join());
		assertThat(failure).hasMessageContaining("connection is closed");
		assertThat(failure.getSuppressed()).as("failures of the pause before the next attempt").isEmpty();
		this.exhausted = false;
		await().until(() -> requests.get() == 2);
	}

}
