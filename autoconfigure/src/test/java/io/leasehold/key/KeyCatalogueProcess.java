package io.leasehold.key;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import io.leasehold.LockKeyException;
import org.jspecify.annotations.Nullable;

/**
 * JVM that evaluates the keys of the catalogue, and prints a line for each value.
 */
final class KeyCatalogueProcess {

	static final String REFUSED = "refused: ";

	private static final Map<String, KeyExpression> PARSED = new HashMap<>();

	private KeyCatalogueProcess() {
	}

	public static void main(String[] args) {
		for (KeyCatalogue.Row row : KeyCatalogue.rows()) {
			row.forms().forEach((expression, form) -> {
				print(expression, form, row.value());
				print(expression, form, row.value());
				if (row.other() != null) {
					print(expression, form, row.other()::get);
				}
			});
		}
		System.out.println("end");
	}

	private static void print(String expression, KeyCatalogue.Form form, Supplier<@Nullable Object> value) {
		System.out.println("= " + resultOf(expression, form, value).replaceAll("\\R", " "));
	}

	private static String resultOf(String expression, KeyCatalogue.Form form, Supplier<@Nullable Object> value) {
		try {
			KeyExpression key = PARSED.computeIfAbsent(form.method() + expression,
					(text) -> KeyExpressionFixture.parse(form.method(), expression));
			return key.evaluate(new KeyExpressionFixture.Orders(), new Object[] { form.argument().apply(value.get()) })
				.toString();
		}
		catch (LockKeyException | InvalidKeyExpressionException ex) {
			return REFUSED + ex.getMessage();
		}
	}

	/** Return the options of a JVM that differs from another one in all that it can. */
	static Map<String, String> options(String zone, String language, String country, int hashes) {
		return Map.of("JAVA_TOOL_OPTIONS",
				"-Duser.timezone=%s -Duser.language=%s -Duser.country=%s -XX:+UnlockExperimentalVMOptions -XX:hashCode=%d"
					.formatted(zone, language, country, hashes));
	}

}
