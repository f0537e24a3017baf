package io.leasehold.service;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.Fault;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockService} with virtual threads, on the JDKs that have them.
 */
@Timeout(60)
class VirtualThreadTests {

	private static final int WAITERS = 10_000;

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final LockService locks = new LockService(
			new ServiceSettings(new LockOptions("test", "local", Duration.ofSeconds(30), Duration.ofSeconds(50),
					Duration.ZERO, LockOptions.UNLIMITED), OnLost.THROW, 63, Duration.ofMillis(10)),
			List.of(this.store), Member.of("test"), MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);

	@TempDir
	Path recordings;

	@AfterEach
	void close() {
		this.locks.close();
	}

	/**
	 * Ten thousand virtual threads wait for one lock and take their turns: none of them
	 * keeps its carrier while it waits.
	 */
	@Fault(64)
	@Test
	void tenThousandOfThemTakeTurnsWithoutPinningTheirCarriers() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger turns = new AtomicInteger();
		Path file = this.recordings.resolve("pinned.jfr");
		try (Recording recording = new Recording()) {
			recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
			recording.start();
			runInVirtualThreads(() -> {
				try (HeldLock held = this.locks.acquire("hot")) {
					assertThat(inside.incrementAndGet()).isOne();
					assertThat(held.isValid()).isTrue();
					inside.decrementAndGet();
					turns.incrementAndGet();
				}
			});
			recording.dump(file);
		}
		assertThat(turns).hasValue(WAITERS);
		assertThat(RecordingFile.readAllEvents(file)).noneMatch(VirtualThreadTests::isOurs);
		assertThat(this.store.size()).isZero();
	}

	private static boolean isOurs(RecordedEvent event) {
		return event.getStackTrace() != null && event.getStackTrace()
			.getFrames()
			.stream()
			.anyMatch((frame) -> frame.getMethod().getType().getName().startsWith("io.leasehold.service."));
	}

	private static void runInVirtualThreads(Runnable task) throws Exception {
		// Called by its name, for the sources are those of Java 17
		ExecutorService threads = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor")
			.invoke(null);
		try {
			List<Future<?>> futures = new ArrayList<>();
			for (int i = 0; i < WAITERS; i++) {
				futures.add(threads.submit(task));
			}
			for (Future<?> future : futures) {
				future.get(50, TimeUnit.SECONDS);
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

}
