package io.leasehold.engine.support;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.function.LongSupplier;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.Renewal;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Deadlines}.
 */
class DeadlinesTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	@Test
	void deadlineIsTheTimeoutAfterTheCall() {
		long before = System.nanoTime();
		assertIsAfter(LONG, () -> Deadlines.after(LONG));
		assertThat(Deadlines.left(Deadlines.after(LONG))).isPositive().isLessThanOrEqualTo(LONG.toNanos());
		assertThat(Deadlines.left(before)).isNotPositive();
	}

	@Test
	void renewalsLeaveTimeForARetryWithinTheShortestLease() {
		List<Renewal> renewals = List.of(renewal(LONG.multipliedBy(6)), renewal(LONG));
		assertIsAfter(LONG.dividedBy(3), () -> Deadlines.ofRenewals(renewals, LONG));
		assertIsAfter(Duration.ofSeconds(1), () -> Deadlines.ofRenewals(renewals, Duration.ofSeconds(1)));
	}

	private static void assertIsAfter(Duration time, LongSupplier deadline) {
		long before = System.nanoTime();
		assertThat(deadline.getAsLong() - time.toNanos() - before).isBetween(0L, System.nanoTime() - before);
	}

	private static Renewal renewal(Duration lease) {
		Claim claim = new Claim(new LockKey("a"), Member.of("test").newOwner(), lease, Duration.ZERO, false, 0);
		return new Renewal(claim, 1, lease);
	}

	@Test
	void responseIsAwaitedByAnInterruptedThreadWhichKeepsItsFlag() throws Exception {
		CompletableFuture<String> response = new CompletableFuture<>();
		Thread caller = Thread.currentThread();
		caller.interrupt();
		CompletableFuture<Void> server = CompletableFuture.runAsync(() -> {
			while (caller.isInterrupted()) { // until the caller waits
				Thread.onSpinWait();
			}
			response.complete("response");
		});
		assertThat(Deadlines.await(response, Deadlines.after(LONG))).isEqualTo("response");
		assertThat(Thread.interrupted()).isTrue();
		server.join();
	}

	@Test
	void threadThatWasNotInterruptedHasNoFlag() throws Exception {
		assertThat(Deadlines.await(CompletableFuture.completedFuture("response"), Deadlines.after(LONG)))
			.isEqualTo("response");
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void responseThatHasArrivedIsReturnedAfterTheDeadline() throws Exception {
		long passed = Deadlines.after(LONG.negated());
		assertThat(Deadlines.await(CompletableFuture.completedFuture("response"), passed)).isEqualTo("response");
	}

	@Test
	void missingResponseIsATimeout() {
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> Deadlines.await(new CompletableFuture<>(), Deadlines.after(Duration.ZERO)))
			.withMessage("no response in time (0 ms)");
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(
					() -> Deadlines.await(new CompletableFuture<>(), Deadlines.after(Duration.ofMillis(20).negated())))
			.withMessage("no response in time (0 ms)");
	}

	/** A store that is slow differs from one that is down by this time. */
	@Test
	void timeoutSaysHowLongItWas() {
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> Deadlines.await(new CompletableFuture<>(), Deadlines.after(Duration.ofMillis(300))))
			.satisfies((timeout) -> {
				Matcher message = Pattern.compile("no response in time \\((\\d+) ms\\)").matcher(timeout.getMessage());
				assertThat(message.matches()).as(timeout.getMessage()).isTrue();
				assertThat(Integer.parseInt(message.group(1))).isBetween(1, 300);
			});
	}

	@Test
	void failureOfARequestIsThrown() {
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> Deadlines.await(CompletableFuture.failedFuture(new IllegalStateException("refused")),
					Deadlines.after(LONG)))
			.withCauseExactlyInstanceOf(IllegalStateException.class);
	}

}
