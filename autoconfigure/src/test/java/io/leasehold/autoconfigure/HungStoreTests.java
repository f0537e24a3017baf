package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockKey;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.DelegatingEngine;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store that hangs is reported as unavailable and not as busy, whatever the form of the
 * caller, and its policy for a busy lock. A key that was busy before the store hung is
 * busy if no request has failed since.
 */
@ExtendWith(OutputCaptureExtension.class)
class HungStoreTests {

	private static final String[] POLICIES = { "throw", "skip", "fallback" };

	private final HangingEngine engine = new HangingEngine();

	private final Map<String, CompletableFuture<String>> callers = new TreeMap<>();

	@ParameterizedTest
	@CsvSource({ "false, fail", "false, proceed", "true, fail", "true, proceed" })
	void storeThatHangsFromTheStartIsUnavailable(boolean failsInTime, String whenUnavailable, CapturedOutput output) {
		run(whenUnavailable, "300ms", (jobs, threads) -> {
			this.engine.hang(failsInTime);
			begin(jobs, threads);
			if (!failsInTime) {
				// The first blocking callers wait for the responses to their own requests
				Awaitility.await().until(() -> ended() == this.callers.size() - POLICIES.length);
				this.engine.end();
			}
			assertThat(outcomes()).allSatisfy((caller, outcome) -> assertThat(outcome)
				.isEqualTo(unavailable(caller, whenUnavailable.equals("proceed"))));
			assertThat(this.engine.inspections).hasValue(0);
			assertThat(output.getOut()).containsOnlyOnce("The store of engine 'local' is unavailable");
			assertThat(output.getOut().split("runs without its lock", -1))
				.hasSize(whenUnavailable.equals("proceed") ? 2 : 1);
		});
	}

	@ParameterizedTest
	@CsvSource({ "false, fail", "false, proceed", "true, fail", "true, proceed" })
	void keyThatWasBusyBeforeTheStoreHungIsBusyUnlessARequestFailedSince(boolean failsInTime, String whenUnavailable) {
		keys().forEach(this.engine::holdElsewhere);
		Duration waitTime = failsInTime ? Duration.ofSeconds(4) : Duration.ofMillis(500);
		Map<String, String> outcomes = outcomesIfTheStoreHangs(failsInTime, whenUnavailable, waitTime);
		while (outcomes.isEmpty()) {
			waitTime = waitTime.multipliedBy(2); // too short for this machine
			outcomes = outcomesIfTheStoreHangs(failsInTime, whenUnavailable, waitTime);
		}
		assertThat(outcomes).allSatisfy((caller, outcome) -> assertThat(outcome)
			.isEqualTo(failsInTime ? unavailable(caller, whenUnavailable.equals("proceed")) : busy(caller)));
	}

	/** Return nothing if a caller gave up before all of them waited. */
	private Map<String, String> outcomesIfTheStoreHangs(boolean failsInTime, String whenUnavailable,
			Duration waitTime) {
		Map<String, String> outcomes = new TreeMap<>();
		this.engine.listeners.clear();
		run(whenUnavailable, waitTime.toString(), (jobs, threads) -> {
			begin(jobs, threads);
			Awaitility.await().until(() -> this.engine.listeners.size() == keys().size() || ended() > 0);
			boolean allWait = ended() == 0;
			if (allWait) {
				this.engine.hang(failsInTime);
				this.engine.listeners.forEach((listener) -> listener.accept(new Signal.Retry()));
			}
			Map<String, String> ends = outcomes();
			this.engine.end();
			if (allWait) {
				outcomes.putAll(ends);
			}
		});
		return outcomes;
	}

	private static String unavailable(String caller, boolean proceeds) {
		if (caller.contains("fallback")) {
			return "fallback LockEngineException";
		}
		return proceeds ? "ran" : "LockEngineException";
	}

	private static String busy(String caller) {
		return switch (caller.split(" ")[1]) {
			case "throw" -> "LockBusyException";
			case "skip" -> "skipped";
			default -> "fallback LockBusyException";
		};
	}

	private interface Scenario {

		void run(Jobs jobs, ExecutorService threads) throws Exception;

	}

	private void run(String whenUnavailable, String waitTime, Scenario scenario) {
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			Leasehold.runner()
				.withPropertyValues("leasehold.when-unavailable=" + whenUnavailable, "test.wait=" + waitTime)
				.withBean(LockEngine.class, () -> this.engine)
				.withBean(Jobs.class)
				.run((context) -> scenario.run(context.getBean(Jobs.class), threads));
		}
		finally {
			this.engine.end();
			threads.shutdownNow();
		}
	}

	private static List<String> keys() {
		List<String> keys = new ArrayList<>();
		for (String form : new String[] { "blocking", "stage" }) {
			for (String policy : POLICIES) {
				keys.add(form + " " + policy);
			}
		}
		return keys;
	}

	/** Begin two callers of each form and policy, which share a key. */
	private void begin(Jobs jobs, ExecutorService threads) {
		for (String place : new String[] { "first", "second" }) {
			keys().forEach((key) -> this.callers.put("%s %s".formatted(key, place), begin(key, jobs, threads)));
			Awaitility.await().until(() -> this.engine.requested.size() == keys().size());
		}
	}

	private static CompletableFuture<String> begin(String key, Jobs jobs, ExecutorService threads) {
		return switch (key) {
			case "blocking throw" -> outcome(threads, () -> jobs.throwing(key));
			case "blocking skip" -> outcome(threads, () -> jobs.skipping(key));
			case "blocking fallback" -> outcome(threads, () -> jobs.falling(key));
			case "stage throw" -> outcome(jobs.throwingLater(key));
			case "stage skip" -> outcome(jobs.skippingLater(key));
			default -> outcome(jobs.fallingLater(key));
		};
	}

	private static CompletableFuture<String> outcome(ExecutorService threads, Supplier<Optional<String>> job) {
		return outcome(CompletableFuture.supplyAsync(job, threads));
	}

	private static CompletableFuture<String> outcome(CompletionStage<Optional<String>> job) {
		return job
			.handle((result, failure) -> outcome(result,
					(failure instanceof CompletionException) ? failure.getCause() : failure))
			.toCompletableFuture();
	}

	private static String outcome(Optional<String> result, Throwable failure) {
		if (failure != null) {
			return failure.getClass().getSimpleName();
		}
		return (result != null) ? result.orElse("skipped") : "skipped";
	}

	private int ended() {
		return (int) this.callers.values().stream().filter(CompletableFuture::isDone).count();
	}

	private Map<String, String> outcomes() throws Exception {
		Map<String, String> outcomes = new TreeMap<>();
		for (Map.Entry<String, CompletableFuture<String>> caller : this.callers.entrySet()) {
			outcomes.put(caller.getKey(), caller.getValue().get(60, TimeUnit.SECONDS));
		}
		return outcomes;
	}

	/** Methods with each form and policy. */
	static class Jobs {

		@DistributedLock(key = "#key", waitTime = "${test.wait}")
		public Optional<String> throwing(String key) {
			return Optional.of("ran");
		}

		@DistributedLock(key = "#key", waitTime = "${test.wait}", whenBusy = WhenBusy.SKIP)
		public Optional<String> skipping(String key) {
			return Optional.of("ran");
		}

		@DistributedLock(key = "#key", waitTime = "${test.wait}", fallback = "failed")
		public Optional<String> falling(String key) {
			return Optional.of("ran");
		}

		Optional<String> failed(String key, LockException failure) {
			return Optional.of("fallback " + failure.getClass().getSimpleName());
		}

		@DistributedLock(key = "#key", waitTime = "${test.wait}")
		public CompletionStage<Optional<String>> throwingLater(String key) {
			return CompletableFuture.completedStage(Optional.of("ran"));
		}

		@DistributedLock(key = "#key", waitTime = "${test.wait}", whenBusy = WhenBusy.SKIP)
		public CompletionStage<Optional<String>> skippingLater(String key) {
			return CompletableFuture.completedStage(Optional.of("ran"));
		}

		@DistributedLock(key = "#key", waitTime = "${test.wait}", fallback = "failedLater")
		public CompletionStage<Optional<String>> fallingLater(String key) {
			return CompletableFuture.completedStage(Optional.of("ran"));
		}

		CompletionStage<Optional<String>> failedLater(String key, LockException failure) {
			return CompletableFuture.completedStage(failed(key, failure));
		}

	}

	/** Engine whose requests hang until they fail by their timeout. */
	private static final class HangingEngine extends DelegatingEngine {

		private final LocalLockEngine local;

		private final Set<LockKey> requested = ConcurrentHashMap.newKeySet();

		private final AtomicInteger inspections = new AtomicInteger();

		private final Queue<Consumer<Signal>> listeners = new ConcurrentLinkedQueue<>();

		/** Opened when the requests fail; {@code null} if they do not hang. */
		private volatile CountDownLatch timeout;

		HangingEngine() {
			this(new LocalLockEngine(MonotonicClock.SYSTEM));
		}

		private HangingEngine(LocalLockEngine local) {
			super(local);
			this.local = local;
		}

		void holdElsewhere(String key) {
			Claim claim = new Claim(new LockKey(key), Member.of("other").newOwner(), Duration.ofHours(1), Duration.ZERO,
					false, System.nanoTime());
			assertThat(this.local.tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Granted.class);
		}

		/**
		 * Let requests hang.
		 * @param failsInTime whether they fail soon, and not when the test ends them
		 */
		void hang(boolean failsInTime) {
			this.timeout = new CountDownLatch(failsInTime ? 0 : 1);
		}

		/** Let all requests fail. */
		void end() {
			CountDownLatch ended = this.timeout;
			if (ended != null) {
				ended.countDown();
			}
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			this.requested.add(claim.key());
			CountDownLatch hanging = this.timeout;
			if (hanging == null) {
				return super.tryAcquire(claim);
			}
			try {
				hanging.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			throw new LockEngineException(claim.key(), "no response in time", null);
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			if (this.timeout != null) {
				throw new LockEngineException(claim.key(), "no response in time", null);
			}
			return super.release(claim);
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
			this.listeners.add(listener);
			return super.subscribe(claim, listener);
		}

		@Override
		public List<Holder> inspect(LockKey key) {
			this.inspections.incrementAndGet();
			return super.inspect(key);
		}

	}

}
