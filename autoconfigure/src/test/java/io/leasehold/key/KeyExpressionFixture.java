package io.leasehold.key;

import java.lang.reflect.Method;
import java.time.DayOfWeek;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.support.StaticListableBeanFactory;

/**
 * Methods whose keys are evaluated, and helpers for their tests.
 */
abstract class KeyExpressionFixture {

	final Orders target = new Orders();

	String evaluate(String expression, @Nullable Object... arguments) {
		return parse("pay", expression).evaluate(this.target, arguments).toString();
	}

	String evaluateObject(String expression, @Nullable Object argument) {
		return parse("object", expression).evaluate(this.target, new Object[] { argument }).toString();
	}

	List<String> keys(String method, String expression, @Nullable Object... arguments) {
		return parse(method, expression).evaluate(this.target, arguments).all().stream().map(LockKey::value).toList();
	}

	static KeyExpression parse(String method, String expression) {
		Method found = Arrays.stream(Orders.class.getDeclaredMethods())
			.filter((candidate) -> candidate.getName().equals(method))
			.findFirst()
			.orElseThrow();
		return new KeyParser(new StaticListableBeanFactory(Map.of("keys", new Keys("keys")))).parse(expression, found,
				found, Orders.class);
	}

	interface Swapped {

		void swap(String left, String right);

	}

	public static class Orders implements Swapped {

		public int visits;

		public String getRegion() {
			return "eu";
		}

		public @Nullable String getNothing() {
			return null;
		}

		public String getBlank() {
			return " ";
		}

		public List<String> getSeveral() {
			return List.of("a", "b");
		}

		public Object getPlain() {
			return new Plain();
		}

		public String fail() {
			throw new IllegalStateException("no luck");
		}

		void pay(int id, String name) {
		}

		void several(List<Long> ids, String[] more, Map<String, String> byName) {
		}

		void object(Object value) {
		}

		void root(String root) {
		}

		void optional(Optional<Object> value) {
		}

		void day(DayOfWeek day) {
		}

		void real(double value) {
		}

		@Override
		public void swap(String right, String left) {
		}

	}

	public static class Keys {

		private final String name;

		Keys(String name) {
			this.name = name;
		}

		public String of(Object id) {
			return "bean " + this.name + " " + id;
		}

		public int stableHashCode(Object id) {
			return 7;
		}

		public String toLowerCase() {
			return this.name;
		}

	}

	static class Plain {

	}

	record OrderId(@Nullable String region, @Nullable Integer number) {

	}

	/** What Lombok or Kotlin generate. */
	static class Generated {

		private final String text;

		Generated(String text) {
			this.text = text;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Generated generated && this.text.equals(generated.text);
		}

		@Override
		public int hashCode() {
			return this.text.hashCode();
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

}
