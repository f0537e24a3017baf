package io.leasehold.event;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class DroppedEventsTests {

	private final AtomicLong now = new AtomicLong();

	private final DroppedEvents dropped = new DroppedEvents("leasehold-redis-event", this.now::get);

	private final ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>());

	@AfterEach
	void shutDown() {
		this.pool.shutdownNow();
	}

	@Test
	void firstLossIsToldAtOnceAndTheRestOnceAMinute(CapturedOutput output) {
		drop(1000);
		assertThat(output).containsOnlyOnce("were dropped").contains("1 since").contains("'leasehold-redis-event'");
		this.now.addAndGet(Duration.ofSeconds(61).toNanos());
		drop(1000);
		assertThat(output.toString().split("were dropped")).hasSize(3);
		assertThat(output).contains("1000 since");
	}

	@Test
	void nothingIsToldAfterTheShutdown(CapturedOutput output) {
		this.pool.shutdown();
		drop(10);
		assertThat(output).doesNotContain("were dropped");
	}

	private void drop(int events) {
		for (int i = 0; i < events; i++) {
			this.dropped.rejectedExecution(() -> {
			}, this.pool);
		}
	}

}
