package io.leasehold.rewrite;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;

/**
 * Keys that begin with the name of their lock, and consist of several expressions.
 */
final class Keys {

	private Keys() {
	}

	/**
	 * Return a key that begins with a name.
	 * @param absent name if there is none
	 */
	static KeyText named(@Nullable Expression name, String absent) {
		return (name == null) ? new KeyText().text(absent) : text(new KeyText(), name);
	}

	/** Add each expression after a colon. */
	static void add(KeyText key, List<Expression> expressions, String receiver, Translation lock) {
		for (Expression expression : expressions) {
			key.text(":");
			if (Attributes.literal(expression) instanceof String text) {
				addLiteral(key, text, receiver, lock);
			}
			else {
				key.expression(expression);
			}
		}
	}

	static void addLiteral(KeyText key, String text, String receiver, Translation lock) {
		String problem = key.expression(text, receiver);
		if (problem != null) {
			lock.leave("%s: \"%s\". Write the key yourself".formatted(problem, text));
		}
	}

	static KeyText text(KeyText key, Expression value) {
		return (Attributes.literal(value) instanceof String text) ? key.text(text) : key.text(value);
	}

}
