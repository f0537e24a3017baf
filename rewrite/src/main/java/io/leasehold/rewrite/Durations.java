package io.leasehold.rewrite;

import org.openrewrite.java.tree.Expression;

/**
 * Durations of other libraries, with the units that those of Leasehold require.
 */
final class Durations {

	private Durations() {
	}

	/** Return a duration in which only milliseconds may lack their unit. */
	static JavaText ofText(Expression value) {
		return (Attributes.literal(value) instanceof String text) ? ofText(text) : JavaText.of(value);
	}

	/** Return a duration in which only milliseconds may lack their unit. */
	static JavaText ofText(String text) {
		return JavaText.of(text.matches("\\d+") ? millis(Long.parseLong(text)) : text);
	}

	/** Return a number of milliseconds. */
	static JavaText ofMillis(Expression value) {
		return (Attributes.literal(value) instanceof Number number) ? JavaText.of(millis(number.longValue()))
				: JavaText.ofNumber(value, "ms");
	}

	/** Return a number of seconds. */
	static JavaText ofSeconds(Expression value) {
		return (Attributes.literal(value) instanceof Number number) ? JavaText.of(number + "s")
				: JavaText.ofNumber(value, "s");
	}

	/** Whether a value is a literal number below zero. */
	static boolean isNegative(Expression value) {
		return Attributes.literal(value) instanceof Number number && number.longValue() < 0;
	}

	private static String millis(long millis) {
		return (millis % 1000 == 0) ? millis / 1000 + "s" : millis + "ms";
	}

}
