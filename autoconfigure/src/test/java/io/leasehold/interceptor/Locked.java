package io.leasehold.interceptor;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssertAlternative;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with annotated beans on the local engine.
 */
final class Locked {

	/** How long a test waits for what has to come before it fails. */
	static final Duration SOON = Duration.ofMinutes(1);

	private Locked() {
	}

	static ApplicationContextRunner runner(Class<?>... beans) {
		return new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=local", "leasehold.wait-time=0s")
			.withUserConfiguration(beans);
	}

	/**
	 * Test an application whose leases outlast the test, and whose events are recorded.
	 */
	static void run(Class<?> bean, ContextConsumer<AssertableApplicationContext> test) {
		runner(bean, RecordedEvents.class).withPropertyValues("leasehold.lease=10m").run(test);
	}

	/** Run something while another thread holds a key. */
	static void whileHeld(DistributedLocks locks, String key, ThrowingRunnable action) throws Exception {
		HeldLock held = locks.acquireAsync(key).get(SOON.toSeconds(), TimeUnit.SECONDS);
		try {
			action.run();
		}
		finally {
			held.close();
		}
	}

	/** Whether nobody holds a key, asked from another thread than those that re-enter. */
	static boolean isFree(DistributedLocks locks, String key) {
		return CompletableFuture.supplyAsync(() -> {
			var held = locks.tryAcquire(key);
			held.ifPresent(HeldLock::close);
			return held.isPresent();
		}, Locked::execute).join();
	}

	/** Run something in a thread of its own, which no other test occupies. */
	static void execute(Runnable task) {
		new Thread(task).start();
	}

	/** The reason why a result fails, which it does soon. */
	static ThrowableAssertAlternative<?> failure(CompletableFuture<?> result) {
		return assertThat(result).failsWithin(SOON).withThrowableThat().havingCause();
	}

	/** The invalid annotation that stopped the start. */
	static AbstractThrowableAssert<?, ?> refusal(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		return refusal(context.getStartupFailure());
	}

	/** The invalid annotation that is the cause of a failure. */
	static AbstractThrowableAssert<?, ?> refusal(Throwable failed) {
		Throwable failure = failed;
		while (failure.getCause() != null && !(failure instanceof InvalidLockAnnotationException)) {
			failure = failure.getCause();
		}
		return assertThat(failure).isInstanceOf(InvalidLockAnnotationException.class);
	}

	interface ThrowingRunnable {

		void run() throws Exception;

	}

}
