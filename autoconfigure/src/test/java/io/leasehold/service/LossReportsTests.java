package io.leasehold.service;

import java.time.Duration;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the log messages about lost locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class LossReportsTests {

	private final Logger logger = ((LoggerContext) LoggerFactory.getILoggerFactory())
		.getLogger(Reports.class.getName());

	private final @Nullable Level level = this.logger.getLevel();

	private final SteppedService process = new SteppedService();

	@AfterEach
	void close() {
		this.logger.setLevel(this.level);
		this.process.close();
	}

	@Test
	void lossIsAWarningWithTheTimeThatTheLockWasHeld(CapturedOutput output) {
		HeldLock held = this.process.acquire("a");
		this.process.advance(Duration.ofMillis(1234));
		this.process.store.local.forceRelease(new LockKey("a"));
		this.process.advance(SteppedService.LEASE.dividedBy(2));
		assertThat(logged(output)).containsOnlyOnce("Lock 'a' (test) was lost after")
			.contains("WARN")
			.contains(" ms by thread %s: the store no longer knows this owner (engine: local)\n"
				.formatted(Thread.currentThread().getName()))
			.doesNotContain("Its last renewal failed");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	@Test
	void lossByForceIsDistinguishedFromLostData(CapturedOutput output) {
		HeldLock held = this.process.acquire("a");
		this.process.advance(Duration.ofMillis(1234));
		this.process.locks.inspector().forceRelease("", new LockKey("a"));
		assertThat(logged(output)).containsOnlyOnce(
				"Lock 'a' (test) was lost after 1234 ms by thread %s: ".formatted(Thread.currentThread().getName())
						+ "it was released by force (engine: local)\n");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	/** No timer runs while the process is suspended. The holder may notice it first. */
	@Test
	void lossSaysThatTheProcessStoodStill(CapturedOutput output) {
		for (boolean holderFirst : new boolean[] { false, true }) {
			String key = "holder first: " + holderFirst;
			HeldLock held = this.process.acquire(key);
			this.process.advance(Duration.ofSeconds(1));
			this.process.clock.advance(Duration.ofSeconds(40));
			if (!holderFirst) {
				this.process.advance(Duration.ZERO);
			}
			assertThat(held.isValid()).isFalse();
			assertThat(logged(output).lines().filter((line) -> line.contains(key))).singleElement()
				.asString()
				.contains("was lost after 41000 ms")
				.containsPattern("This process stood still for (39|40)\\d{3} ms: look at its garbage collection");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
			this.process.advance(Duration.ofSeconds(5));
		}
	}

	@Test
	void lossNamesTheFailureOfTheLastRenewal(CapturedOutput output) {
		this.process.store.renewNothing();
		HeldLock held = this.process.acquire("a");
		this.process.advance(SteppedService.LEASE);
		assertThat(logged(output)).containsOnlyOnce("was lost after 29698 ms by thread")
			.contains("(engine: local). Its last renewal failed: silent\n")
			.doesNotContain("stood still");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	/** Clients that disconnect would fill the log with warnings. */
	@Test
	void cancellationIsLoggedAtDebugLevelOnly(CapturedOutput output) {
		this.logger.setLevel(Level.INFO);
		cancel("a");
		assertThat(logged(output)).doesNotContain("was lost");
		this.logger.setLevel(Level.DEBUG);
		cancel("b");
		assertThat(logged(output)).containsOnlyOnce("was lost")
			.contains("DEBUG")
			.doesNotContain("WARN")
			.containsPattern("Lock 'b' \\(test\\) was lost after 0 ms by thread .+: its caller cancelled the result");
	}

	private void cancel(String key) {
		HeldLock held = this.process.acquire(key);
		this.process.locks.cancelled(held);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
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
