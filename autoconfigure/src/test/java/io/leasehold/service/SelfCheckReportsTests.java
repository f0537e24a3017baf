package io.leasehold.service;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.leasehold.HeldLock;
import io.leasehold.service.gate.Repair;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the log messages and findings of {@link SelfCheck}. Each kind of repair is
 * logged as a warning once.
 */
@ExtendWith(OutputCaptureExtension.class)
class SelfCheckReportsTests {

	private static final String CROWDED = "code of callers blocks all threads available to it";

	private final SteppedService process = new SteppedService();

	@AfterEach
	void close() {
		this.process.close();
	}

	@Test
	void repairIsLoggedOnceAndCountedEachTime(CapturedOutput output) {
		loseARequest("a");
		assertThat(logged(output)).containsOnlyOnce(
				"Self-check of engine 'local' repaired a fault: requests were not sent (lock 'a'). Its health counts these repairs");
		loseARequest("b");
		assertThat(logged(output)).containsOnlyOnce("Self-check of engine").doesNotContain("'b'");
		assertThat(findings()).containsExactly("repaired 2 times: requests were not sent");
	}

	/** The watchdog serves all locks of its engine. */
	@Test
	void repairOfTheWatchdogNamesNoLock(CapturedOutput output) {
		this.process.threads.losing = true;
		HeldLock held = this.process.acquire("a");
		this.process.threads.losing = false;
		this.process.threads.checkSelf(2 * Repair.PATIENCE);
		assertThat(logged(output)).contains(
				"Self-check of engine 'local' repaired a fault: renewals did not begin or end. Its health counts these repairs");
		held.close();
	}

	@Test
	void blockedCallersAreLoggedOnceUntilTheyGoOn(CapturedOutput output) {
		this.process.acquire("a").close();
		this.process.threads.checkSelf(1);
		assertThat(findings()).isEmpty();
		assertThat(logged(output)).doesNotContain(CROWDED);
		this.process.threads.crowded = true;
		this.process.threads.checkSelf(3);
		assertThat(findings()).containsExactly(CROWDED);
		assertThat(logged(output))
			.containsOnlyOnce(CROWDED + ": completions of futures and onLost actions wait (engine: local)");
		this.process.threads.crowded = false;
		this.process.threads.checkSelf(1);
		assertThat(findings()).isEmpty();
		this.process.threads.crowded = true;
		this.process.threads.checkSelf(1);
		assertThat(logged(output).split(CROWDED, -1)).hasSize(3);
	}

	private void loseARequest(String key) {
		this.process.threads.losing = true;
		CompletableFuture<HeldLock> waiting = this.process.await(key, this.process.options());
		this.process.threads.losing = false;
		this.process.threads.checkSelf(Repair.PATIENCE);
		waiting.getNow(null).close();
	}

	private List<String> findings() {
		return this.process.locks.inspector().findings("local");
	}

	/** Return what this thread logged: threads of other tests may still log, too. */
	private static String logged(CapturedOutput output) {
		String thread = Thread.currentThread().getName() + "]";
		return output.toString()
			.lines()
			.filter((line) -> line.contains(thread))
			.map((line) -> line + "\n")
			.collect(Collectors.joining());
	}

}
