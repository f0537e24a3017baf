package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import io.leasehold.LockOptions;
import io.leasehold.LockOverview;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.Member;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.service.gate.Survey;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

/**
 * A process's locks in the hands of two threads, each of which does one thing. Lincheck
 * runs both over and over, each time with other switches between them; whatever these
 * are, what the model requires holds, and nothing is left in the end. Time stands still,
 * and timers go off on command.
 */
public abstract class InterleavingModel {

	static final LockKey KEY = new LockKey("a");

	static final LockOptions OPTIONS = new LockOptions("test", "local", Duration.ofSeconds(10), Duration.ofSeconds(10),
			Duration.ZERO, LockOptions.UNLIMITED);

	/** Orders of each model that are tried. */
	private static final int INTERLEAVINGS = Integer.getInteger("leasehold.interleavings", 150);

	/**
	 * The first run of a model, which prepares its classes, is slow on a busy machine.
	 */
	private static final long TIMEOUT = Duration.ofMinutes(5).toMillis();

	/** Without a switch inside. */
	private static final String ATOMIC = LocalLockEngine.class.getName();

	/**
	 * Without a switch before, inside, or after. Lincheck takes the loop over the
	 * characters of a message for one that waits.
	 */
	private static final String[] IRRELEVANT = { ManualClock.class.getName(), Member.class.getName(),
			Events.class.getName(), LockKey.class.getPackageName() + ".ReadableText" };

	/** Made beforehand, for Lincheck knows only some ways to draw random numbers. */
	private static final List<Member> MEMBERS = Stream.generate(() -> Member.of("test")).limit(INTERLEAVINGS).toList();

	private static final AtomicInteger RUNS = new AtomicInteger();

	final ManualClock clock = new ManualClock();

	final ManualThreads threads = new ManualThreads();

	final LocalLockEngine store = new LocalLockEngine(this.clock);

	final EngineLocks locks = new EngineLocks(new ServiceSettings(OPTIONS, OnLost.THROW, 63, Duration.ofSeconds(5)),
			this.store, MEMBERS.get(RUNS.incrementAndGet() % MEMBERS.size()), this.clock, List.of(),
			ReleaseTiming.IMMEDIATE, this.threads, BlockingWaiter::new, new Deadlocks(DeadlockPolicy.WARN));

	/** The first one. */
	private volatile Throwable failure;

	/** Check a model. */
	static void check(Class<?> model) {
		ExecutionScenario scenario = new ExecutionScenario(List.of(), List.of(List.of(run(model))), List.of(), null);
		new ModelCheckingOptions().iterations(0)
			.addCustomScenario(scenario)
			.invocationsPerIteration(INTERLEAVINGS)
			.minimizeFailedScenario(false)
			.invocationTimeout$lincheck(TIMEOUT)
			.verifier(EpsilonVerifier.class)
			.addGuarantee(forClasses(IRRELEVANT).allMethods().ignore())
			.addGuarantee(forClasses(ATOMIC).allMethods().treatAsAtomic())
			.check(model);
	}

	private static Actor run(Class<?> model) {
		try {
			return new Actor(model.getMethod("run"), List.of());
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public final void run() throws InterruptedException {
		try {
			attempt(this::before);
			Thread other = new Thread(() -> attempt(this::second));
			other.start();
			attempt(this::first);
			other.join();
			this.threads.join();
			attempt(this::after);
			this.threads.join();
			attempt(this::requireNothingLeft);
		}
		catch (RuntimeException ex) {
			this.failure = ex;
		}
	}

	private void requireNothingLeft() {
		require(this.locks.gates.all().isEmpty(), "A gate is left");
		require(this.store.size() == 0, "Something is left in the store");
	}

	@Validate
	public final void holds() {
		if (this.failure != null) {
			throw new AssertionError(this.failure);
		}
	}

	/** In the thread of {@link #first()}. */
	void before() {
		// nothing is held
	}

	abstract void first();

	abstract void second();

	/** When all threads have ended. */
	void after() {
		// nothing is held
	}

	/** Do something in a thread that has ended when this returns. */
	final void elsewhere(Runnable step) {
		Thread thread = new Thread(step);
		thread.start();
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	final HeldLock acquire() {
		return this.locks.acquirer.acquire(KEY, OPTIONS, false, Acquirer.NEVER_BYPASSED);
	}

	final CompletableFuture<HeldLock> acquireAsync() {
		return this.locks.acquireAllAsync(LockKeys.of(KEY), OPTIONS, List.of(), Acquirer.NEVER_BYPASSED);
	}

	/** Require that a lock is held as far as operators see. */
	final void requireHeld(HeldLock lock) {
		Survey survey = new Survey(this.clock.nanoTime());
		this.locks.describe(survey, KEY);
		List<LockOverview.Held> held = survey.overview().held();
		require(!held.isEmpty() && held.get(0).fencingToken() == lock.fencingToken(), "What was acquired is not held");
	}

	static void require(boolean condition, String otherwise) {
		if (!condition) {
			throw new AssertionError(otherwise);
		}
	}

	private void attempt(Runnable step) {
		try {
			step.run();
		}
		catch (RuntimeException | AssertionError ex) {
			this.failure = (this.failure != null) ? this.failure : ex;
		}
	}

}
