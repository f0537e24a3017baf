package io.leasehold.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.function.Predicate;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.MemberCategory.INVOKE_PUBLIC_METHODS;

/**
 * Tests for {@link LockReflectiveProcessor}, as Spring finds it by the annotation.
 */
class LockReflectiveProcessorTests {

	@Test
	void annotatedMethodAndWhatItsKeyReadsAreThere() {
		RuntimeHints hints = hints(Orders.class);
		assertThat(hints).matches(invoke(Orders.class, "pay"));
		assertThat(hints)
			.matches(RuntimeHintsPredicates.reflection().onType(Order.class).withMemberCategory(INVOKE_PUBLIC_METHODS));
		assertThat(hints).matches(
				RuntimeHintsPredicates.reflection().onType(Orders.class).withMemberCategory(INVOKE_PUBLIC_METHODS));
	}

	@Test
	void fallbackIsThere() {
		assertThat(hints(Orders.class)).matches(invoke(Orders.class, "orElse"));
	}

	@Test
	void methodsThatAreNotAnnotatedAreNot() {
		assertThat(hints(Orders.class)).matches(invoke(Orders.class, "other").negate());
		assertThat(hints(Unlocked.class).reflection().typeHints()).isEmpty();
	}

	@Test
	void methodsOfAnAnnotatedClassAreThere() {
		RuntimeHints hints = hints(Stock.class);
		assertThat(hints).matches(invoke(Stock.class, "sell"));
		assertThat(hints).matches(RuntimeHintsPredicates.reflection().onType(Order.class));
	}

	@Test
	void composedAnnotationCountsToo() {
		RuntimeHints hints = hints(Composed.class);
		assertThat(hints).matches(invoke(Composed.class, "run"));
		assertThat(hints).matches(invoke(Composed.class, "orElse"));
	}

	private static RuntimeHints hints(Class<?> type) {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, type);
		return hints;
	}

	private static Predicate<RuntimeHints> invoke(Class<?> type, String method) {
		return RuntimeHintsPredicates.reflection().onMethodInvocation(type, method);
	}

	record Order(long id) {
	}

	static class Orders {

		@DistributedLock(key = "'order:' + #order.id", fallback = "orElse")
		void pay(Order order) {
		}

		private void orElse(Order order) {
		}

		void other() {
		}

	}

	@DistributedLock(key = "#order.id")
	static class Stock {

		public void sell(Order order) {
		}

	}

	static class Composed {

		@Exclusive
		public void run(List<String> ids) {
		}

		void orElse(List<String> ids) {
		}

	}

	static class Unlocked {

		void run() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "'exclusive'", fallback = "orElse")
	@interface Exclusive {

	}

}
