package io.leasehold.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.leasehold.DistributedLocks;
import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockMode;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.DelegatingEngine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for the results and the forms of locks that a fenced method may have. A lease
 * outlasts each test.
 */
class FencedResultTests {

	@Test
	void plainResultOfAFencedMethodIsReturned() {
		runner(Orders.class).run((context) -> {
			assertThat(context.getBean(Orders.class).any(1, () -> HeldLock.current().key())).isEqualTo("order:1");
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isTrue();
		});
	}

	/** Its work may run already, and no guard sees the transactions of another thread. */
	@Test
	void runningResultOfAFencedMethodIsRejectedAndItsKeyStaysLocked() {
		runner(Orders.class).run((context) -> {
			int id = 1;
			for (Object late : List.of(new CompletableFuture<>(), new FutureTask<>(() -> "x"))) {
				int next = id++;
				assertThatIllegalStateException().isThrownBy(() -> context.getBean(Orders.class).any(next, () -> late))
					.withMessageContaining("Orders.any' returned a " + late.getClass().getSimpleName())
					.withMessageEndingWith("Return the complete value.");
				assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:" + next)).isFalse();
			}
		});
	}

	@Test
	void publisherOfAFencedMethodIsRejectedAndNeverBegins() {
		runner(Orders.class).run((context) -> {
			AtomicBoolean begun = new AtomicBoolean();
			assertThatIllegalStateException()
				.isThrownBy(() -> context.getBean(Orders.class).any(1, () -> Mono.fromRunnable(() -> begun.set(true))))
				.withMessageEndingWith("Return the complete value.");
			assertThat(begun).isFalse();
			assertThat(Locked.isFree(context.getBean(DistributedLocks.class), "order:1")).isFalse();
		});
	}

	@Test
	void declaredStageOfAFencedMethodFailsStartup() {
		runner(FencedStage.class).run((context) -> Locked.refusal(context)
			.hasMessageContaining("FencedStage.run is fenced, but its result ends later"));
	}

	@Test
	void declaredPublisherOfAFencedMethodRequiresAReactiveDatabase() {
		runner(FencedMono.class).run((context) -> Locked.refusal(context)
			.hasMessageContaining("FencedMono.run is fenced, but there is no database")
			.hasMessageContaining("Add a ConnectionFactory"));
	}

	@ParameterizedTest
	@ValueSource(classes = { FencedReader.class, FencedPermit.class })
	void fencedLockOfSeveralOwnersFailsStartup(Class<?> bean) {
		runner(bean).run((context) -> Locked.refusal(context)
			.hasMessageContaining(bean.getSimpleName() + ".run is fenced, but its lock allows several owners at once"));
	}

	@Test
	void fencedMethodWithoutAGuardFailsStartup() {
		Locked.runner(Orders.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Orders.any is fenced, but there is no database"));
	}

	@Test
	void fencedMethodOfAnEngineWhoseNumbersMayDecreaseFailsStartup() {
		runner(FencedOnWeakNumbers.class).withBean(WeakNumbers.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("FencedOnWeakNumbers.run is fenced, but its engine loses data without notice"));
	}

	private static ApplicationContextRunner runner(Class<?> bean) {
		return Locked.runner(bean)
			.withPropertyValues("leasehold.lease=10m")
			.withBean("guard", FencingGuard.class, () -> HeldLockScope::open);
	}

	static class Orders {

		@DistributedLock(key = "'order:' + #id", fenced = true)
		public Object any(int id, Supplier<Object> body) {
			return body.get();
		}

	}

	static class FencedStage {

		@DistributedLock(key = "'k'", fenced = true)
		public @Nullable CompletionStage<String> run() {
			return null;
		}

	}

	static class FencedMono {

		@DistributedLock(key = "'k'", fenced = true)
		public @Nullable Mono<String> run() {
			return null;
		}

	}

	static class FencedOnWeakNumbers {

		@DistributedLock(key = "'k'", engine = "weak", fenced = true)
		public void run() {
		}

	}

	static class WeakNumbers extends DelegatingEngine {

		WeakNumbers() {
			super(new LocalLockEngine(MonotonicClock.SYSTEM));
		}

		@Override
		public String name() {
			return "weak";
		}

		@Override
		public boolean numbersAlwaysGrow() {
			return false;
		}

	}

	static class FencedReader {

		@DistributedLock(key = "'k'", mode = LockMode.SHARED, fenced = true)
		public void run() {
		}

	}

	static class FencedPermit {

		@DistributedLock(key = "'k'", permits = "1", fenced = true)
		public void run() {
		}

	}

}
