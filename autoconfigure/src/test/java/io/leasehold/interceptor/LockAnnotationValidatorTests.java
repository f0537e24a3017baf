package io.leasehold.interceptor;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.leasehold.LockBusyException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class LockAnnotationValidatorTests {

	static Stream<Arguments> mistakes() {
		return Stream.of(Arguments.of(UnknownParameter.class, "UnknownParameter.run", "'idd'", "#id or #p0"),
				Arguments.of(NoSpel.class, "NoSpel.run", "not a SpEL expression", "single quotes"),
				Arguments.of(PrivateMethod.class, "PrivateMethod.run", "private", "public"),
				Arguments.of(StaticMethod.class, "StaticMethod.run", "static", "non-static"),
				Arguments.of(FinalMethod.class, "FinalMethod.run", "is final, so", "Remove final"),
				Arguments.of(FinalClass.class, "FinalClass.run", "is final through its class", "Remove final"),
				Arguments.of(NotInInterface.class, "NotInInterface.run(int)", "no interface", "proxy-target-class"),
				Arguments.of(SkippedPrimitive.class, "SkippedPrimitive.run", "SKIP, but returns int", "wrapper"),
				Arguments.of(SkipAndFallback.class, "SkipAndFallback.run", "both whenBusy SKIP and a fallback",
						"Keep one"),
				Arguments.of(MissingFallback.class, "MissingFallback.run", "no such method", "other(String)"),
				Arguments.of(FallbackWithParentheses.class, "FallbackWithParentheses.run", "not a method name",
						"without parentheses"),
				Arguments.of(NameWithPlaceholder.class, "NameWithPlaceholder.run", "never resolved", "fixed name"),
				Arguments.of(WrongFallback.class, "WrongFallback.run", "parameters", "other(String)"),
				Arguments.of(NarrowFallback.class, "NarrowFallback.run", "parameters", "LockException"),
				Arguments.of(WrongResult.class, "WrongResult.run", "returns Integer", "return String"),
				Arguments.of(UnknownEngine.class, "UnknownEngine.run", "\"etcd\"", "leasehold.<name>.enabled"),
				Arguments.of(PlainFuture.class, "PlainFuture.run", "Future", "CompletionStage"),
				Arguments.of(OwnFuture.class, "OwnFuture.run", "Stage", "CompletionStage"),
				Arguments.of(UnknownInClass.class, "UnknownInClass.second", "'id'", "put it only on those methods"));
	}

	/**
	 * A method that could not be guarded as its annotation says, such as a private or
	 * final one, stops the start.
	 */
	@ParameterizedTest
	@Fault(84)
	@MethodSource("mistakes")
	void mistakeStopsTheStart(Class<?> bean, String method, String problem, String action) {
		Locked.runner(bean)
			.run((context) -> Locked.refusal(context)
				.isInstanceOfSatisfying(InvalidLockAnnotationException.class, (ex) -> {
					assertThat(ex.getDescription()).startsWith("%s$%s ".formatted(getClass().getName(), method))
						.contains(problem);
					assertThat(ex.getAction()).contains(action);
					assertThat(ex).hasMessageContaining(method).hasMessageContaining(ex.getAction());
					assertThat(ex.getType()).isEqualTo(bean);
					assertThat(method).contains("." + ex.getMethod().getName());
				}));
	}

	@Test
	void overloadedMethodIsNamedWithItsParameters() {
		Locked.runner(Overloaded.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageStartingWith(Overloaded.class.getName() + ".run(String, int) has key "));
	}

	static class UnknownParameter {

		@DistributedLock(key = "'k:' + #idd")
		public void run(String id) {
		}

	}

	static class Overloaded {

		@DistributedLock(key = "'k:' + #idd")
		public void run(String id, int number) {
		}

		@DistributedLock(key = "'k:' + #id")
		public void run(String id) {
		}

	}

	static class NoSpel {

		@DistributedLock(key = "order:#id")
		public void run(String id) {
		}

	}

	static class PrivateMethod {

		@DistributedLock(key = "'k'")
		private void run() {
		}

	}

	static class StaticMethod {

		@DistributedLock(key = "'k'")
		public static void run() {
		}

	}

	static class FinalMethod {

		@DistributedLock(key = "'k'")
		public final void run() {
		}

	}

	static final class FinalClass {

		@DistributedLock(key = "'k'")
		public void run() {
		}

	}

	interface Runs {

		void run(String id);

	}

	static class NotInInterface implements Runs {

		@Override
		public void run(String id) {
		}

		@DistributedLock(key = "'k'")
		public void run(int id) {
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(key = "'k'", whenBusy = WhenBusy.SKIP)
		public int run() {
			return 1;
		}

	}

	static class SkipAndFallback {

		@DistributedLock(key = "'k'", whenBusy = WhenBusy.SKIP, fallback = "other")
		public Optional<String> run() {
			return Optional.empty();
		}

		Optional<String> other() {
			return Optional.empty();
		}

	}

	static class MissingFallback {

		@DistributedLock(key = "'k'", fallback = "other")
		public @Nullable String run(String id) {
			return null;
		}

	}

	static class FallbackWithParentheses {

		@DistributedLock(key = "'k'", fallback = "other()")
		public @Nullable String run(String id) {
			return null;
		}

		@Nullable String other(String id) {
			return null;
		}

	}

	static class NameWithPlaceholder {

		@DistributedLock(key = "'k'", name = "${my.name}")
		public void run() {
		}

	}

	static class WrongFallback {

		@DistributedLock(key = "'k'", fallback = "other")
		public @Nullable String run(String id) {
			return null;
		}

		String other(int id) {
			return "";
		}

	}

	static class NarrowFallback {

		@DistributedLock(key = "'k'", fallback = "other")
		public @Nullable String run(String id) {
			return null;
		}

		String other(String id, LockBusyException busy) {
			return "";
		}

	}

	static class WrongResult {

		@DistributedLock(key = "'k'", fallback = "other")
		public @Nullable String run(String id) {
			return null;
		}

		Integer other(String id) {
			return 1;
		}

	}

	static class UnknownEngine {

		@DistributedLock(key = "'k'", engine = "etcd")
		public void run() {
		}

	}

	static class PlainFuture {

		@DistributedLock(key = "'k'")
		public @Nullable Future<String> run() {
			return null;
		}

	}

	static class OwnFuture {

		@DistributedLock(key = "'k'")
		public @Nullable Stage run() {
			return null;
		}

		static class Stage extends CompletableFuture<String> {

		}

	}

	@DistributedLock(key = "'k:' + #id")
	static class UnknownInClass {

		public void second(String name) {
		}

	}

}
