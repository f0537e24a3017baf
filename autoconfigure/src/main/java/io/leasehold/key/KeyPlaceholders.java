package io.leasehold.key;

import java.util.function.UnaryOperator;

/**
 * Placeholders of a key expression, such as in {@code '${app.region}:' + #id}. Their
 * values become text of the expression, and are never parsed as a part of it.
 */
public final class KeyPlaceholders {

	private static final String BEGIN = "${";

	private KeyPlaceholders() {
	}

	/**
	 * Replace the placeholders of an expression. A placeholder inside quotes becomes a
	 * part of their text, another one a quoted text of its own. One without an end stays.
	 * @param values returns the value of a placeholder, such as
	 * <code>${app.region}</code>
	 */
	public static String replace(String expression, UnaryOperator<String> values) {
		StringBuilder replaced = new StringBuilder();
		char quote = 0;
		int position = 0;
		while (position < expression.length()) {
			int end = expression.startsWith(BEGIN, position) ? endOf(expression, position) : 0;
			if (end > 0) {
				String value = values.apply(expression.substring(position, end));
				replaced.append((quote != 0) ? escaped(value, quote) : "'" + escaped(value, '\'') + "'");
				position = end;
			}
			else {
				char next = expression.charAt(position++);
				quote = quoteAfter(quote, next);
				replaced.append(next);
			}
		}
		return replaced.toString();
	}

	/** A doubled quote inside a text ends it and begins it again. */
	private static char quoteAfter(char quote, char next) {
		if (quote != 0) {
			return (next == quote) ? 0 : quote;
		}
		return (next == '\'' || next == '"') ? next : 0;
	}

	private static String escaped(String value, char quote) {
		return value.replace(String.valueOf(quote), String.valueOf(quote).repeat(2));
	}

	/** Return the end of a placeholder, which may contain others, or 0. */
	private static int endOf(String expression, int begin) {
		int depth = 0;
		for (int i = begin; i < expression.length(); i++) {
			if (expression.startsWith(BEGIN, i)) {
				depth++;
			}
			else if (expression.charAt(i) == '}' && --depth == 0) {
				return i + 1;
			}
		}
		return 0;
	}

}
