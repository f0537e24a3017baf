package io.leasehold.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The models of {@link InterleavingTests} find bugs of the service that only some orders
 * of threads bring out, among as many orders as the tests try. Each is checked in a JVM
 * of its own, all at the same time.
 */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class InterleavingsAreProvenLongTests {

	private static final List<Check> CHECKS = new ArrayList<>();

	@BeforeAll
	static void start(@TempDir Path directory) throws IOException {
		check(directory, InterleavingTests.AbandonedRequest.class, "Something is left in the store",
				new SeededService.Bug("a request that nobody closes whose caller has given up", "gate.StoreClaim",
						"mayRelease(Duration.ZERO) && (", "this.phase == Phase.ENDED && ("));
		check(directory, InterleavingTests.TwoCallers.class, "What was acquired is not held", new SeededService.Bug(
				"a gate that is entered after it was removed", "gate.KeyGate",
				"if (this.holders.isGone()) { decision.removes = true; decision.entersAgain = true; return decision; }",
				""));
		check(directory, InterleavingTests.Timeout.class, "A gate is left",
				new SeededService.Bug("a caller that may give up what it was passed", "gate.KeyGate",
						"waiter.hasEnded() ? decision : this", "this"));
		check(directory, InterleavingTests.Interrupt.class, "LockBusyException",
				new SeededService.Bug("an interrupt that is swallowed", "BlockingWaiter",
						"!this.thread.isInterrupted()", "!Thread.interrupted()"));
		check(directory, InterleavingTests.Reentry.class, "What was acquired is not held",
				new SeededService.Bug("a hold that is re-entered after its end", "gate.KeyGate",
						"(opened.isLinked() && !opened.isClosed())", "(!opened.isClosed() || !opened.isLinked())"));
		check(directory, InterleavingTests.Loss.class, "The loss was not reported",
				new SeededService.Bug("a loss that is not noted", "Holds",
						"hold.lose(LossCause.NOT_OWNER); this.reports.lostAtRelease(hold, now());",
						"this.reports.lostAtRelease(hold, now());"));
		check(directory, InterleavingTests.Extension.class, "What was found over was extended",
				new SeededService.Bug("a deadline that is set whatever it is by now", "gate.Grant",
						"VALID_UNTIL.compareAndSet(this, until, newUntil)",
						"VALID_UNTIL.getAndSet(this, newUntil) != 0"));
		check(directory, InterleavingTests.Renewal.class, "LockLostException",
				new SeededService.Bug("a release that is taken for a loss", "gate.Holders",
						"default -> held.isLinked() ? held : of(held.grant);", "default -> held;"));
	}

	private static void check(Path directory, Class<? extends InterleavingModel> model, String finding,
			SeededService.Bug bug) throws IOException {
		Path classes = directory.resolve(model.getSimpleName());
		new SeededService(bug).writeTo(classes);
		Path output = classes.resolve("output.txt");
		CHECKS.add(new Check(model, bug, finding, InterleavingProcess.start(model, classes, output), output));
	}

	static List<Check> checks() {
		return CHECKS;
	}

	@AfterAll
	static void stop() {
		CHECKS.forEach((check) -> check.process.destroyForcibly());
		CHECKS.clear();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("checks")
	void modelFindsBug(Check check) throws Exception {
		assertThat(check.process.waitFor(30, TimeUnit.MINUTES)).as("%s has ended", check).isTrue();
		assertThat(check.process.exitValue()).as(() -> check.output()).isEqualTo(InterleavingProcess.FAILED);
		assertThat(check.output()).contains(check.finding);
	}

	private record Check(Class<?> model, SeededService.Bug bug, String finding, Process process, Path file) {

		String output() {
			try {
				return Files.readString(this.file);
			}
			catch (IOException ex) {
				return ex.toString();
			}
		}

		@Override
		public String toString() {
			return this.model.getSimpleName() + ": " + this.bug;
		}

	}

}
