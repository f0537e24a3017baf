package io.leasehold.engine.support;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Tests for {@link StartedThreads}.
 */
class StartedThreadsTests {

	private final ScheduledExecutorService threads = StartedThreads.of("started-threads-tests-", 3);

	@Test
	void allThreadsStartBeforeTheFirstTask() throws Exception {
		assertThat(((ThreadPoolExecutor) this.threads).getPoolSize()).isEqualTo(3);
		assertThat(this.threads.submit(Thread::currentThread).get()).matches(Thread::isDaemon)
			.satisfies((thread) -> assertThat(thread.getName()).startsWith("started-threads-tests-"));
		this.threads.shutdown();
	}

	@Test
	void tasksAfterTheEndAreDropped() {
		this.threads.shutdown();
		assertThatCode(() -> this.threads.execute(() -> {
			throw new AssertionError("not dropped");
		})).doesNotThrowAnyException();
	}

}
