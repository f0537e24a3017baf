package io.leasehold.interceptor;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.LockLostException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.AcquireEnded;
import io.leasehold.event.LockEventListener;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.util.AopTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class LockInterceptorTests {

	@Test
	void methodRunsUnderItsLock() {
		Locked.runner(Orders.class, Recorder.class).run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			Orders orders = context.getBean(Orders.class);
			String seen = orders.pay(42, () -> {
				assertThat(Locked.isFree(locks, "order:42")).isFalse();
				assertThat(Locked.isFree(locks, "order:43")).isTrue();
				HeldLock held = HeldLock.current();
				assertThat(held.isValid()).isTrue();
				assertThat(held.fencingToken()).isPositive();
				return held.key();
			});
			assertThat(seen).isEqualTo("order:42");
			assertThat(Locked.isFree(locks, "order:42")).isTrue();
			assertThat(context.getBean(Recorder.class).acquired("Orders.pay")).hasSize(1);
			assertThatIllegalStateException().isThrownBy(HeldLock::current);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "auto=true,class=true", "auto=true,class=false", "auto=false,class=true" })
	void interceptsWhateverMakesTheProxies(String kind) {
		for (String hidden : List.of("", "org.aspectj")) {
			Locked.runner(PricesImpl.class, Recorder.class)
				.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
				.withClassLoader(hidden.isEmpty() ? getClass().getClassLoader() : new FilteredClassLoader(hidden))
				.withPropertyValues("spring.aop.auto=" + kind.contains("auto=true"),
						"spring.aop.proxy-target-class=" + kind.contains("class=true"))
				.run((context) -> {
					context.getBean(Prices.class).update("eu");
					assertThat(context.getBean(Recorder.class).acquired("PricesImpl.update"))
						.containsExactly("price:eu");
				});
		}
	}

	@Test
	void annotationOfAnInterfaceMethodCountsForJdkProxies() {
		Locked.runner(PricesImpl.class, Recorder.class).run((context) -> {
			Prices prices = context.getBean(Prices.class);
			assertThat(AopUtils.isJdkDynamicProxy(prices)).isTrue();
			prices.update("eu");
			assertThat(context.getBean(Recorder.class).acquired("PricesImpl.update")).containsExactly("price:eu");
		});
	}

	@Test
	void annotationOfAnInterfaceIsForItsMethods() {
		Locked.runner(AccountsImpl.class, Recorder.class).run((context) -> {
			((Accounts) context.getBean("lockInterceptorTests.AccountsImpl")).open("a");
			((Unlocked) context.getBean("lockInterceptorTests.AccountsImpl")).other("b");
			assertThat(context.getBean(Recorder.class).keys).containsExactly("account:a");
		});
	}

	@Test
	void annotationOfAClassIsForItsPublicMethodsUnlessTheyHaveTheirOwn() {
		Locked.runner(Stock.class, Recorder.class).run((context) -> {
			Stock stock = context.getBean(Stock.class);
			stock.add("x");
			stock.remove("y");
			stock.internal("z");
			assertThat(stock.toString()).isEqualTo("stock");
			assertThat(context.getBean(Recorder.class).keys).containsExactly("stock:x", "removal:y");
		});
	}

	@Test
	void composedAnnotationPassesItsAttributesOn() {
		Locked.runner(Composed.class, Recorder.class).run((context) -> {
			context.getBean(Composed.class).run("7");
			assertThat(context.getBean(Recorder.class).acquired("composed")).containsExactly("composed:7");
		});
	}

	@Test
	void attributesBecomeOptions() {
		Locked.runner(Full.class).withPropertyValues("my.lease=20s").run((context) -> {
			LockOperation operation = operation(context, Full.class, "all");
			assertThat(operation.options().name()).isEqualTo("full");
			assertThat(operation.options().engine()).isEqualTo("local");
			assertThat(operation.options().lease()).isEqualTo(Duration.ofSeconds(20));
			assertThat(operation.options().waitTime()).isEqualTo(Duration.ofMillis(500));
			assertThat(operation.options().minHold()).isEqualTo(Duration.ofSeconds(1));
			assertThat(operation.options().maxHold()).isEqualTo(Duration.ofMinutes(1));
		});
	}

	@Test
	void absentAttributesAreThoseOfTheConfiguration() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.lease=17s", "leasehold.wait-time=3s")
			.run((context) -> {
				LockOperation operation = operation(context, Orders.class, "pay");
				assertThat(operation.options().name()).isEqualTo("Orders.pay");
				assertThat(operation.options().lease()).isEqualTo(Duration.ofSeconds(17));
				assertThat(operation.options().waitTime()).isEqualTo(Duration.ofSeconds(3));
			});
	}

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

	@Test
	void fallbackIsNotCalledForExceptionsOfTheBody() {
		Locked.runner(WithFallback.class).run((context) -> {
			WithFallback bean = context.getBean(WithFallback.class);
			LockException thrown = new LockBusyException("busy", new LockKey("other"), Duration.ZERO);
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
				assertThatIllegalStateException().as("there is no lock to tell of")
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

	/** A key with a null is refused before the method runs. */
	@Fault(72)
	@Test
	void nullInTheKeyIsRefusedBeforeTheBody() {
		Locked.runner(Orders.class, Recorder.class).run((context) -> {
			assertThatExceptionOfType(LockKeyException.class)
				.isThrownBy(() -> context.getBean(Orders.class).pay(null, LockInterceptorTests::mustNotRun))
				.withMessageContaining("Orders.pay")
				.withMessageContaining("#id is null");
			assertThat(context.getBean(Recorder.class).ended("Orders.pay")).extracting(AcquireEnded::outcome)
				.containsExactly(AcquireOutcome.ERROR);
			assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
		});
	}

	/**
	 * Whatever a method throws, errors too: its caller gets that, and the next owner the
	 * lock.
	 */
	@Test
	@Fault(82)
	void bodysExceptionIsThrownUnchangedAndTheLockGivenBack() {
		Locked.runner(Orders.class).run((context) -> {
			for (Throwable failure : List.of(new IllegalStateException("no"), new IOException("no"),
					new StackOverflowError(), new OutOfMemoryError("no"))) {
				assertThatExceptionOfType(Throwable.class)
					.isThrownBy(() -> context.getBean(Orders.class).fail(42, failure))
					.isSameAs(failure);
				assertThat(failure.getSuppressed()).isEmpty();
				assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
			}
		});
	}

	/** A method fails and has lost its lock: the loss does not hide the failure. */
	@Test
	@Fault(82)
	void lossJoinsTheBodysException() {
		Locked.runner(Orders.class).withPropertyValues("leasehold.lease=300ms").run((context) -> {
			IllegalStateException failure = new IllegalStateException("no");
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Orders.class).pay(42, () -> {
				loseAndNotice(context);
				throw failure;
			})).isSameAs(failure);
			assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
		});
	}

	/**
	 * A method ends well under a lock that was lost: that is not passed over in silence.
	 */
	@Test
	@Fault(83)
	void resultOfALostLockIsNotReturned() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.lease=300ms")
			.run((context) -> assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> context.getBean(Orders.class).pay(42, () -> {
					loseAndNotice(context);
					return "done";
				}))
				.withMessageContaining("order:42"));
	}

	/**
	 * A method ends well under a lock that was lost, and its application wants the result
	 * all the same.
	 */
	@Test
	@Fault(83)
	void resultOfALostLockIsReturnedWhenALossOnlyWarns() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.lease=300ms")
			.withPropertyValues("leasehold.on-lost=warn")
			.run((context) -> assertThat(context.getBean(Orders.class).pay(42, () -> {
				loseAndNotice(context);
				return "done";
			})).isEqualTo("done"));
	}

	@Test
	void fixedLeaseThatIsOutlivedIsALoss() {
		Locked.runner(FixedLease.class).run((context) -> {
			FixedLease bean = context.getBean(FixedLease.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(bean::run);
			assertThat(AopTestUtils.<FixedLease>getTargetObject(bean).finished).isTrue();
		});
	}

	@Test
	void lossInterruptsTheBodyWhenSoConfigured() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.lease=300ms")
			.withPropertyValues("leasehold.on-lost=interrupt")
			.run((context) -> {
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> context.getBean(Orders.class).pay(42, () -> {
						context.getBean(LocalLockEngine.class).lose(new LockKey("order:42"));
						awaitInterrupt();
						return "";
					}));
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			});
	}

	@Test
	void interruptThatTheBodyDidNotNoticeIsTakenBack() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.lease=300ms")
			.withPropertyValues("leasehold.on-lost=interrupt")
			.run((context) -> {
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> context.getBean(Orders.class).pay(42, () -> {
						context.getBean(LocalLockEngine.class).lose(new LockKey("order:42"));
						while (!Thread.currentThread().isInterrupted()) {
							Thread.onSpinWait();
						}
						return "";
					}));
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			});
	}

	@Test
	void interruptOfOthersStays() {
		Locked.runner(Orders.class).withPropertyValues("leasehold.on-lost=interrupt").run((context) -> {
			assertThat(context.getBean(Orders.class).pay(42, () -> {
				Thread.currentThread().interrupt();
				return "done";
			})).isEqualTo("done");
			assertThat(Thread.interrupted()).isTrue();
		});
	}

	@Test
	void interruptedWaitKeepsTheFlagAndDoesNotRunTheBody() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.wait-time=30s")
			.run((context) -> Locked.whileHeld(context.getBean(DistributedLocks.class), "order:42", () -> {
				Thread.currentThread().interrupt();
				assertThatExceptionOfType(LockInterruptedException.class)
					.isThrownBy(() -> context.getBean(Orders.class).pay(42, LockInterceptorTests::mustNotRun));
				assertThat(Thread.interrupted()).isTrue();
			}));
	}

	/**
	 * A method that calls another under the same key does not wait for itself, and does
	 * not lose the lock to the end of the inner one.
	 */
	@Test
	@Fault(86)
	void nestedCallReentersAndOnlyTheOutermostReleases() {
		Locked.runner(Orders.class, Recorder.class).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			orders.pay(42, () -> {
				long outer = HeldLock.current().fencingToken();
				orders.pay(42, () -> {
					assertThat(HeldLock.current().fencingToken()).isEqualTo(outer);
					return "";
				});
				assertThat(Locked.isFree(locks, "order:42")).isFalse();
				return "";
			});
			assertThat(Locked.isFree(locks, "order:42")).isTrue();
			assertThat(context.getBean(Recorder.class).ended("Orders.pay")).extracting(AcquireEnded::outcome)
				.containsExactly(AcquireOutcome.ACQUIRED, AcquireOutcome.REENTERED);
		});
	}

	/**
	 * What no proxy sees cannot be guarded nor be found at the start: the manual says so.
	 */
	@Test
	@Fault(84)
	void callOfABeanToItselfIsNotGuarded() {
		Locked.runner(Orders.class, Recorder.class).run((context) -> {
			context.getBean(Orders.class).payByItself(42);
			assertThat(context.getBean(Recorder.class).keys).isEmpty();
		});
	}

	@Test
	void methodsRunWithoutLocksWhenSwitchedOff() {
		Locked.runner(Orders.class)
			.withPropertyValues("leasehold.enabled=false", "leasehold.local.enabled=true")
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(Orders.class))).isFalse());
	}

	private static LockOperation operation(AssertableApplicationContext context, Class<?> type, String method) {
		return Arrays.stream(type.getDeclaredMethods())
			.filter((candidate) -> candidate.getName().equals(method))
			.map((found) -> context.getBean(LockOperationSource.class).find(found, type))
			.findFirst()
			.orElseThrow();
	}

	private static void loseAndNotice(AssertableApplicationContext context) {
		HeldLock held = HeldLock.current();
		CountDownLatch lost = new CountDownLatch(1);
		held.onLost((loss) -> lost.countDown());
		context.getBean(LocalLockEngine.class).lose(new LockKey(held.key()));
		await().until(() -> lost.getCount() == 0 && !held.isValid());
	}

	private static void awaitInterrupt() {
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			return; // what the test waits for
		}
	}

	private static String mustNotRun() {
		throw new AssertionError("The body ran without its lock");
	}

	static class Recorder implements LockEventListener {

		final List<AcquireEnded> ends = Collections.synchronizedList(new ArrayList<>());

		final List<String> keys = Collections.synchronizedList(new ArrayList<>());

		@Override
		public void onEvent(LockEvent event) {
			if (event instanceof AcquireEnded ended) {
				this.ends.add(ended);
				if (ended.outcome() == AcquireOutcome.ACQUIRED && ended.key() != null
						&& !ended.name().equals("unnamed")) {
					this.keys.add(ended.key().value());
				}
			}
		}

		List<AcquireEnded> ended(String name) {
			return this.ends.stream().filter((end) -> end.name().equals(name)).toList();
		}

		List<String> acquired(String name) {
			return ended(name).stream()
				.filter((end) -> end.outcome() == AcquireOutcome.ACQUIRED)
				.map((end) -> end.key().value())
				.toList();
		}

	}

	static class Orders {

		@DistributedLock(key = "'order:' + #id", lease = "${orders.lease:}")
		String pay(@Nullable Integer id, Supplier<String> body) {
			return body.get();
		}

		@DistributedLock(key = "'order:' + #id")
		void fail(int id, Throwable failure) throws Throwable {
			throw failure;
		}

		void payByItself(int id) {
			pay(id, () -> "");
		}

	}

	public interface Prices {

		@DistributedLock(key = "'price:' + #region")
		void update(String region);

	}

	public static class PricesImpl implements Prices {

		@Override
		public void update(String area) {
		}

	}

	@DistributedLock(key = "'account:' + #id")
	interface Accounts {

		void open(String id);

	}

	interface Unlocked {

		void other(String name);

	}

	static class AccountsImpl implements Accounts, Unlocked {

		@Override
		public void open(String number) {
		}

		@Override
		public void other(String name) {
		}

	}

	@DistributedLock(key = "'stock:' + #item")
	static class Stock {

		public void add(String item) {
		}

		@DistributedLock(key = "'removal:' + #thing")
		public void remove(String thing) {
		}

		void internal(String whatever) {
		}

		@Override
		public String toString() {
			return "stock";
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "", name = "composed")
	@interface ExclusiveById {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String value();

	}

	static class Composed {

		@ExclusiveById("'composed:' + #p0")
		public void run(String id) {
		}

	}

	static class Full {

		@DistributedLock(key = "'full'", name = "full", lease = "${my.lease}", waitTime = "500ms", engine = "local",
				minHold = "PT1S", maxHold = "1m")
		public void all() {
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

	static class FixedLease {

		boolean finished;

		@DistributedLock(key = "'fixed'", lease = "50ms", maxHold = "50ms")
		public void run() {
			HeldLock held = HeldLock.current();
			await().until(() -> !held.isValid());
			this.finished = true;
		}

	}

}
