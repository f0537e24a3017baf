package io.leasehold.key;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.leasehold.LockKeyException;
import org.jspecify.annotations.Nullable;

/**
 * JVM that evaluates keys with the methods of values, and prints a line for each key. It
 * omits keys that are another one at each call, such as the current time.
 */
final class MethodsInKeysProcess {

	private MethodsInKeysProcess() {
	}

	public static void main(String[] args) {
		List<String> keys = new ArrayList<>();
		for (Object value : values()) {
			expressions(value.getClass()).forEach((expression) -> {
				String key = keyOf(expression, value);
				if (key != null && key.equals(keyOf(expression, value))) {
					keys.add("%s %s %s".formatted(value.getClass().getName(), expression, key).replaceAll("\\R", " "));
				}
			});
		}
		keys.stream().sorted().distinct().forEach((key) -> System.out.println("= " + key));
		System.out.println("= end");
	}

	/** Return one value of each type that can be a part of a key. */
	private static Iterable<Object> values() {
		Map<Class<?>, Object> values = new LinkedHashMap<>();
		List<Object> more = List.of("TITLE", Choice.A, new Chosen(Choice.A, "a"), List.of(Choice.A));
		Stream
			.concat(more.stream(),
					KeyCatalogue.ofJdk()
						.stream()
						.filter((row) -> !row.refused() && row.forms().size() > 1)
						.map((row) -> row.value().get()))
			.forEach((value) -> values.putIfAbsent(value.getClass(), value));
		return values.values();
	}

	/**
	 * Return keys with each method that needs no argument. The names of locales and
	 * currencies for people are not checked, since methods of the application may have
	 * the same name.
	 */
	private static List<String> expressions(Class<?> type) {
		List<String> expressions = new ArrayList<>();
		for (Method method : type.getMethods()) {
			if (Modifier.isStatic(method.getModifiers()) && method.getParameterCount() == 0) {
				expressions.add("'k:' + T(%s).%s()".formatted(method.getDeclaringClass().getName(), method.getName()));
			}
			else if (method.getParameterCount() == 0 && !method.getName().startsWith("getDisplay")) {
				expressions.add("'k:' + #value.%s()".formatted(method.getName()));
				expressions.add("{#value}.!['k:' + %s()]".formatted(method.getName()));
			}
		}
		for (String of : List.of("Objects).hash", "Objects).hashCode", "Arrays).hashCode", "Arrays).deepHashCode")) {
			expressions.add("'k:' + T(java.util.%s(new Object[] { #value })".formatted(of));
		}
		return expressions;
	}

	private static @Nullable String keyOf(String expression, Object value) {
		try {
			return KeyExpressionFixture.parse("object", expression)
				.evaluate(new KeyExpressionFixture.Orders(), new Object[] { value })
				.toString();
		}
		catch (LockKeyException | InvalidKeyExpressionException ex) {
			return null;
		}
	}

	enum Choice {

		A {

		},
		B

	}

	public record Chosen(Choice choice, String name) {
	}

}
