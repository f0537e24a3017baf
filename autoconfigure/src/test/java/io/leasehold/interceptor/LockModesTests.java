package io.leasehold.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockInspector;
import io.leasehold.LockMode;
import io.leasehold.LockModeException;
import io.leasehold.LockOptions;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.Capability;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.DelegatingEngine;

import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for shared locks, permits and lock delays that an annotation asks for.
 */
class LockModesTests {

	@Test
	void sharedMethodsRunBesideEachOtherAndNotBesideAnExclusiveOne() {
		Locked.runner(Catalog.class).run((context) -> {
			Catalog catalog = context.getBean(Catalog.class);
			catalog.read("a", () -> {
				assertThat(elsewhere(() -> catalog.read("a", () -> {
				}))).isNull();
				assertThat(elsewhere(() -> catalog.change("a", LockModesTests::mustNotRun)))
					.isInstanceOf(LockBusyException.class);
			});
			catalog.change("a", () -> assertThat(elsewhere(() -> catalog.read("a", LockModesTests::mustNotRun)))
				.isInstanceOf(LockBusyException.class));
		});
	}

	@Test
	void readerThatCallsAWriterIsRefusedAtOnce() {
		Locked.runner(Catalog.class).withPropertyValues("leasehold.wait-time=1m").run((context) -> {
			Catalog catalog = context.getBean(Catalog.class);
			catalog.read("a",
					() -> assertThatExceptionOfType(LockModeException.class)
						.isThrownBy(() -> catalog.change("a", LockModesTests::mustNotRun))
						.withMessageContaining("catalog:a"));
			catalog.change("a", () -> catalog.read("a", () -> assertThat(HeldLock.current().isValid()).isTrue()));
		});
	}

	@Test
	void permitsComeFromAProperty() {
		Locked.runner(Printer.class).withPropertyValues("printer.permits=2").run((context) -> {
			Printer printer = context.getBean(Printer.class);
			printer.print(() -> assertThat(elsewhere(
					() -> printer.print(() -> assertThat(elsewhere(() -> printer.print(LockModesTests::mustNotRun)))
						.isInstanceOf(LockBusyException.class))))
				.isNull());
		});
	}

	@Test
	void anotherNumberOfPermitsIsRefusedAtTheCall() {
		Locked.runner(Printer.class).withPropertyValues("printer.permits=2").run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			try (HeldLock held = locks.acquire("printer", locks.defaults().toBuilder().permits(3).build())) {
				assertThat(elsewhere(() -> context.getBean(Printer.class).print(LockModesTests::mustNotRun)))
					.isInstanceOf(LockModeException.class)
					.hasMessageContaining("2 permits")
					.hasMessageContaining("3 permits");
				assertThat(held.isValid()).isTrue();
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1", "ten", "1.5", "10000000000", "1000000000" })
	void badPermitsStopTheStart(String permits) {
		Locked.runner(Printer.class)
			.withPropertyValues("printer.permits=" + permits)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Printer.print")
				.hasMessageContaining("permits")
				.hasMessageContaining(permits));
	}

	/** Each proxy would take a permit of its own: with one permit, no call could run. */
	@Test
	void permitsOfTwoProxiesStopTheStart() {
		Locked.runner(Printer.class, DefaultAdvisorAutoProxyCreator.class)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues("printer.permits=1")
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Printer.print")
				.hasMessageContaining("two auto-proxy creators")
				.hasMessageContaining("DefaultAdvisorAutoProxyCreator"));
	}

	@Test
	void permitsOfASharedLockStopTheStart() {
		Locked.runner(SharedPermits.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("SharedPermits.run")
				.hasMessageContaining("SHARED")
				.hasMessageContaining("3 permits"));
	}

	@ParameterizedTest
	@MethodSource("forms")
	void formThatTheEngineDoesNotHaveStopsTheStart(Class<?> bean, String form, String remedy) {
		ApplicationContextRunner plain = Locked.runner(bean)
			.withPropertyValues("leasehold.engine=plain", "printer.permits=2")
			.withBean("plain", LockEngine.class, PlainEngine::new);
		String problem = form + ", which engine 'plain' does not support. " + remedy;
		plain.run((context) -> Locked.refusal(context)
			.hasMessageContaining(bean.getSimpleName() + ".")
			.hasMessageContaining(problem + ", or configure another engine: docs/engines/README.md compares them."));
		plain.withPropertyValues("leasehold.local.enabled=true")
			.run((context) -> Locked.refusal(context).hasMessageContaining(problem + ", or set engine to 'local'."));
	}

	static Stream<Arguments> forms() {
		return Stream.of(Arguments.of(Catalog.class, "mode SHARED", "Use mode EXCLUSIVE"),
				Arguments.of(Printer.class, "permits", "Omit the permits"),
				Arguments.of(Delayed.class, "a lock delay", "Set the lock delay to 0s"),
				Arguments.of(Lingering.class, "a linger time", "Set the linger time to 0s"));
	}

	@Test
	void formThatTheEngineDoesNotHaveIsRefusedInCode() {
		Locked.runner()
			.withPropertyValues("leasehold.engine=plain")
			.withBean("plain", LockEngine.class, PlainEngine::new)
			.run((context) -> {
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				LockOptions options = locks.defaults().toBuilder().name("import").build();
				for (LockOptions lacking : List.of(options.toBuilder().mode(LockMode.SHARED).build(),
						options.toBuilder().permits(2).build(),
						options.toBuilder().lockDelay(Duration.ofSeconds(1)).build(),
						options.toBuilder().linger(Duration.ofSeconds(1)).build())) {
					assertThatExceptionOfType(IllegalArgumentException.class)
						.isThrownBy(() -> locks.acquire("a", lacking))
						.withMessageContaining("import")
						.withMessageContaining("'plain'");
				}
				locks.acquire("a", options).close();
			});
	}

	@Test
	void lockDelayIsPartOfTheOptions() {
		Locked.runner(Delayed.class).withPropertyValues("leasehold.lock-delay=5s").run((context) -> {
			assertThat(context.getBean(DistributedLocks.class).defaults().lockDelay()).isEqualTo(Duration.ofSeconds(5));
			context.getBean(Delayed.class).run(() -> assertThat(HeldLock.current().isValid()).isTrue());
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "delayed")).isTrue();
		});
	}

	@Test
	void lockOfAMethodLingersUnlessItSaysOtherwise() {
		Locked.runner(Lingering.class).withPropertyValues("leasehold.linger=5s").run((context) -> {
			assertThat(context.getBean(DistributedLocks.class).defaults().linger()).isEqualTo(Duration.ofSeconds(5));
			LockInspector locks = context.getBean(LockInspector.class);
			Lingering methods = context.getBean(Lingering.class);
			methods.run();
			methods.run();
			assertThat(locks.overview().parked()).extracting((lock) -> lock.key().value()).containsExactly("lingering");
			methods.runOnce();
			methods.runOnce();
			assertThat(locks.overview().parked()).hasSize(1);
		});
	}

	/**
	 * Do something in another thread, and return how it failed if it did. A thread of its
	 * own, since those of a pool may run what they wait for, and re-enter.
	 */
	private static Throwable elsewhere(Runnable action) {
		CompletableFuture<Void> run = CompletableFuture.runAsync(action, (task) -> new Thread(task).start());
		try {
			run.get(30, TimeUnit.SECONDS);
			return null;
		}
		catch (Exception ex) {
			return ex.getCause();
		}
	}

	private static void mustNotRun() {
		throw new AssertionError("Ran without its lock");
	}

	public static class Catalog {

		@DistributedLock(key = "'catalog:' + #id", mode = LockMode.SHARED)
		public void read(String id, Runnable body) {
			body.run();
		}

		@DistributedLock(key = "'catalog:' + #id")
		public void change(String id, Runnable body) {
			body.run();
		}

	}

	public static class Printer {

		@DistributedLock(key = "'printer'", permits = "${printer.permits}")
		public void print(Runnable body) {
			body.run();
		}

	}

	public static class SharedPermits {

		@DistributedLock(key = "'k'", mode = LockMode.SHARED, permits = "3")
		public void run() {
		}

	}

	public static class Delayed {

		@DistributedLock(key = "'delayed'", lockDelay = "1s")
		public void run(Runnable body) {
			body.run();
		}

	}

	public static class Lingering {

		@DistributedLock(key = "'lingering'", linger = "20s")
		public void run() {
		}

		@DistributedLock(key = "'once'", linger = "0s")
		public void runOnce() {
		}

	}

	/** An engine that has exclusive locks only. */
	static class PlainEngine extends DelegatingEngine {

		PlainEngine() {
			super(new LocalLockEngine(MonotonicClock.SYSTEM));
		}

		@Override
		public String name() {
			return "plain";
		}

		@Override
		public Set<Capability> capabilities() {
			return Set.of(Capability.FIFO);
		}

	}

}
