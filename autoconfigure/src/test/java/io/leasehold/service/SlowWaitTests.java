package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for warnings about callers that wait for a long time.
 */
@ExtendWith(OutputCaptureExtension.class)
class SlowWaitTests {

	private static final String WARNING = "longer than leasehold.slow-wait allows";

	private final SteppedService process = new SteppedService(Duration.ofSeconds(10));

	@Test
	void eachWaitIsReportedOnceWhileItLasts(CapturedOutput output) {
		HeldLock held = this.process.acquire("a");
		CompletableFuture<HeldLock> first = await("a");
		CompletableFuture<HeldLock> second = await("a");
		this.process.advance(Duration.ofSeconds(9));
		CompletableFuture<HeldLock> later = await("a");
		assertThat(output.getOut()).doesNotContain(WARNING);
		this.process.advance(Duration.ofSeconds(1));
		assertThat(output.getOut()).containsOnlyOnce(WARNING)
			.containsPattern("2 callers have waited for lock 'a' \\(test\\) for .* for 10000 ms. It is held by test@");
		this.process.advance(Duration.ofMinutes(2));
		assertThat(output.getOut().split(WARNING, -1)).hasSize(3);
		held.close();
		this.process.threads.run();
		first.join().close();
		this.process.threads.run();
		second.join().close();
		this.process.threads.run();
		later.join().close();
	}

	@Test
	void waitAfterAnIdleTimeIsReportedInTime(CapturedOutput output) {
		HeldLock held = this.process.acquire("a");
		CompletableFuture<HeldLock> first = await("a");
		held.close();
		this.process.threads.run();
		this.process.advance(Duration.ofMinutes(5));
		assertThat(output.getOut()).doesNotContain(WARNING);
		CompletableFuture<HeldLock> second = await("a");
		this.process.advance(Duration.ofSeconds(10));
		assertThat(output.getOut()).containsOnlyOnce(WARNING).contains("1 callers have waited");
		first.join().close();
		this.process.threads.run();
		second.join().close();
	}

	/** Such as that of {@code asLock}, but not that of a candidate for a role. */
	@Test
	void waitWithoutALimitIsReported(CapturedOutput output) {
		HeldLock held = this.process.acquire("a");
		LockOptions unlimited = this.process.options().toBuilder().waitTime(LockOptions.UNLIMITED).build();
		CompletableFuture<HeldLock> waiting = this.process.await("a", unlimited);
		CompletableFuture<HeldLock> candidate = this.process.await("a", unlimited.toBuilder().endless(true).build());
		this.process.advance(Duration.ofSeconds(10));
		assertThat(output.getOut()).containsOnlyOnce(WARNING).contains("1 callers have waited for lock 'a' (test)");
		candidate.cancel(true);
		held.close();
		this.process.threads.run();
		waiting.join().close();
	}

	@Test
	void checkOfManyKeysSendsFewRequests(CapturedOutput output) {
		List<CompletableFuture<HeldLock>> waits = new ArrayList<>();
		for (int i = 0; i < 25; i++) {
			this.process.acquire("key" + i);
			waits.add(await("key" + i));
		}
		int before = this.process.store.inspected;
		this.process.advance(Duration.ofSeconds(10));
		assertThat(this.process.store.inspected - before).isEqualTo(10);
		assertThat(output.getOut().split("1 callers have waited for lock 'key\\d+'", -1)).hasSize(11);
		assertThat(output.getOut()).containsOnlyOnce("Callers have waited for 15 more locks for " + WARNING);
		waits.forEach((wait) -> wait.cancel(true));
	}

	private CompletableFuture<HeldLock> await(String key) {
		return this.process.await(key, this.process.options());
	}

}
