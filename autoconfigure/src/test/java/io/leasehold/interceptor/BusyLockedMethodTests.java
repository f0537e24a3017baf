package io.leasehold.interceptor;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent.AcquireEnded;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.test.util.AopTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Methods whose lock is busy or unavailable.
 */
class BusyLockedMethodTests extends LockInterceptorFixture {

	@Test
	void busyLockThrowsAndTheBodyDoesNotRun() {
		Locked.runner(Orders.class)
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "order:42",
					() -> assertThatExceptionOfType(LockBusyException.class)
						.isThrownBy(() -> context.getBean(Orders.class).pay(42, LockInterceptorTests::mustNotRun))
						.withMessageContaining("order:42")));
	}

	@Test
	void zeroWaitTimeMakesOneAttempt() {
		Locked.runner(Orders.class, Recorder.class)
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "order:42", () -> {
				long asked = System.nanoTime();
				assertThatExceptionOfType(LockBusyException.class)
					.isThrownBy(() -> context.getBean(Orders.class).pay(42, () -> ""))
					.satisfies((ex) -> assertThat(ex.getWaited().toNanos())
						.isLessThanOrEqualTo(System.nanoTime() - asked));
				assertThat(context.getBean(Recorder.class).ended("Orders.pay")).extracting(AcquireEnded::waited)
					.containsExactly(false);
			}));
	}

	@Test
	void busyLockIsSkipped() {
		Locked.runner(Skipping.class)
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "skip", () -> {
				Skipping skipping = context.getBean(Skipping.class);
				assertThat(skipping.text()).isNull();
				assertThat(skipping.optional()).isEmpty();
				skipping.nothing();
				assertThat(AopTestUtils.<Skipping>getTargetObject(skipping).runs).isZero();
			}));
	}

	/** The interface of a proxy may hide the type that has an empty value. */
	@Test
	void skippedCallThroughAGenericInterfaceReturnsTheEmptyValueOfItsClass() {
		Locked.runner(SkippingJob.class)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "skip",
					() -> assertThat(context.getBean(Job.class).run()).isEqualTo(Optional.empty())));
	}

	@Test
	void skipIsNotForAStoreThatIsDown() {
		Locked.runner(Skipping.class).run((context) -> {
			context.getBean(LocalLockEngine.class).faults().setDown(true);
			assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> context.getBean(Skipping.class).text());
		});
	}

	@Test
	void fallbackIsCalledForBusyAndForUnavailable() {
		Locked.runner(WithFallback.class).run((context) -> {
			WithFallback bean = context.getBean(WithFallback.class);
			assertThat(bean.run("a")).isEqualTo("run a");
			Locked.whileHeld(context.getBean(DistributedLocks.class), "fallback:a", () -> {
				assertThat(bean.run("a")).isEqualTo("instead a LockBusyException");
				assertThat(bean.plain("a")).isEqualTo("plainly a");
			});
			context.getBean(LocalLockEngine.class).faults().setDown(true);
			assertThat(bean.run("a")).isEqualTo("instead a LockEngineException");
		});
	}

	/**
	 * The compiler adds a bridge to a public class that inherits from one that is not.
	 */
	@Test
	void fallbackOfASuperclassThatIsNotPublicIsCalled() {
		Locked.runner(Inheriting.class)
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "inherited",
					() -> assertThat(context.getBean(Inheriting.class).pay("a")).isEqualTo("busy a")));
	}

	@Test
	void fallbackIsNotCalledForExceptionsOfTheBody() {
		Locked.runner(WithFallback.class).run((context) -> {
			WithFallback bean = context.getBean(WithFallback.class);
			LockException thrown = new LockBusyException(new LockKey("other"), "busy", Duration.ZERO);
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> bean.fail(thrown)).isSameAs(thrown);
			LockException down = new LockEngineException(new LockKey("other"), "down", null);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> bean.fail(down)).isSameAs(down);
		});
	}

	@Test
	void fallbackIsNotCalledForALoss() {
		Locked.runner(WithFallback.class)
			.withPropertyValues("leasehold.lease=300ms")
			.run((context) -> assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> context.getBean(WithFallback.class).lose(context.getBean(LocalLockEngine.class))));
	}

	@Test
	void exceptionOfAFallbackIsItsOwn() {
		Locked.runner(WithFallback.class)
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "fallback:x",
					() -> assertThatExceptionOfType(IOException.class)
						.isThrownBy(() -> context.getBean(WithFallback.class).checked("x"))
						.withMessage("fallback x")));
	}

	/** A store that is down never lets a method run without its lock. */
	@Test
	@Fault(92)
	void unavailableStoreFailsTheCall() {
		Locked.runner(Orders.class).run((context) -> {
			context.getBean(LocalLockEngine.class).faults().setDown(true);
			assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> context.getBean(Orders.class).pay(42, LockInterceptorTests::mustNotRun));
		});
	}

	/**
	 * An application that prefers to go on without locks says so, and each such call is
	 * counted.
	 */
	@Test
	@Fault(92)
	void unavailableStoreIsBypassedWhenSoConfigured() {
		Locked.runner(Orders.class, WithFallback.class, Recorder.class)
			.withPropertyValues("leasehold.when-unavailable=proceed")
			.run((context) -> {
				context.getBean(LocalLockEngine.class).faults().setDown(true);
				assertThat(context.getBean(Orders.class).pay(42, () -> "ran")).isEqualTo("ran");
				assertThat(context.getBean(Recorder.class).ended("Orders.pay")).extracting(AcquireEnded::outcome)
					.as("one call has one outcome")
					.containsExactly(AcquireOutcome.BYPASSED);
				assertThat(context.getBean(WithFallback.class).run("a")).as("a fallback is more special")
					.isEqualTo("instead a LockEngineException");
				assertThat(context.getBean(Recorder.class).ended("WithFallback.run")).extracting(AcquireEnded::outcome)
					.containsExactly(AcquireOutcome.UNAVAILABLE);
				assertThatIllegalStateException().as("there is no lock to report")
					.isThrownBy(() -> context.getBean(Orders.class).pay(42, () -> HeldLock.current().key()))
					.withMessageContaining("leasehold.when-unavailable");
			});
	}

	/** A lock that another owner has is never bypassed. */
	@Test
	@Fault(92)
	void bypassIsNotForABusyLock() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.when-unavailable=proceed")
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "order:42",
					() -> assertThatExceptionOfType(LockBusyException.class)
						.isThrownBy(() -> context.getBean(Orders.class).pay(42, LockInterceptorTests::mustNotRun))));
	}

	/** A lock that is refused since the application stops is never bypassed. */
	@Test
	@Fault(92)
	void bypassIsNotForAShutdown() {
		Locked.runner(Orders.class).withPropertyValues("leasehold.when-unavailable=proceed").run((context) -> {
			Orders orders = context.getBean(Orders.class);
			context.getBean(LockService.class).drain(() -> {
			});
			assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> orders.pay(42, LockInterceptorTests::mustNotRun));
		});
	}

	interface Job<T> {

		T run();

	}

	static class SkippingJob implements Job<Optional<String>> {

		@Override
		@DistributedLock(key = "'skip'", whenBusy = WhenBusy.SKIP)
		public Optional<String> run() {
			throw new AssertionError("ran without its lock");
		}

	}

	static class Skipping {

		int runs;

		@DistributedLock(key = "'skip'", whenBusy = WhenBusy.SKIP)
		public @Nullable String text() {
			this.runs++;
			return "";
		}

		@DistributedLock(key = "'skip'", whenBusy = WhenBusy.SKIP)
		public Optional<String> optional() {
			this.runs++;
			return Optional.of("");
		}

		@DistributedLock(key = "'skip'", whenBusy = WhenBusy.SKIP)
		public void nothing() {
			this.runs++;
		}

	}

	static class Inherited {

		public String busy(String id) {
			return "busy " + id;
		}

	}

	public static class Inheriting extends Inherited {

		@DistributedLock(key = "'inherited'", fallback = "busy")
		public String pay(String id) {
			throw new AssertionError("ran without its lock");
		}

	}

	static class WithFallback {

		@DistributedLock(key = "'fallback:' + #id", fallback = "instead")
		public String run(String id) {
			return "run " + id;
		}

		private String instead(String id, LockException reason) {
			return "instead %s %s".formatted(id, reason.getClass().getSimpleName());
		}

		@DistributedLock(key = "'fallback:' + #id", fallback = "plainly")
		public String plain(String id) {
			return "run " + id;
		}

		String plainly(String id) {
			return "plainly " + id;
		}

		@DistributedLock(key = "'fallback'", fallback = "failed")
		public String fail(LockException failure) {
			throw failure;
		}

		String failed(LockException failure) {
			throw new AssertionError("Fallback called for the body's exception");
		}

		@DistributedLock(key = "'fallback'", fallback = "lost")
		public String lose(LocalLockEngine engine) {
			HeldLock held = HeldLock.current();
			engine.lose(new LockKey(held.key()));
			await().until(() -> !held.isValid());
			return "";
		}

		String lost(LocalLockEngine engine) {
			throw new AssertionError("Fallback called for a loss");
		}

		@DistributedLock(key = "'fallback:' + #id", fallback = "checkedInstead")
		public String checked(String id) throws IOException {
			return id;
		}

		String checkedInstead(String id) throws IOException {
			throw new IOException("fallback " + id);
		}

	}

}
