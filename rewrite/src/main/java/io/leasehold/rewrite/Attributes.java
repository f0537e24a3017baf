package io.leasehold.rewrite;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.JavaPrinter;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * Attributes of an annotation that is migrated.
 */
final class Attributes {

	private final Map<String, Expression> values = new LinkedHashMap<>();

	Attributes(J.Annotation annotation) {
		List<Expression> arguments = annotation.getArguments();
		if (arguments != null) {
			arguments.forEach(this::add);
		}
	}

	private void add(Expression argument) {
		if (argument instanceof J.Assignment assignment) {
			this.values.put(((J.Identifier) assignment.getVariable()).getSimpleName(), assignment.getAssignment());
		}
		else if (!(argument instanceof J.Empty)) {
			this.values.put("value", argument);
		}
	}

	/** Return the value of an attribute, or null if it is absent or an empty text. */
	@Nullable Expression get(String name) {
		Expression value = this.values.get(name);
		return (value == null || "".equals(literal(value))) ? null : value;
	}

	/** Return the elements of an attribute, without empty texts. */
	List<Expression> elements(String name) {
		Expression value = get(name);
		if (value == null) {
			return List.of();
		}
		List<Expression> initializer = (value instanceof J.NewArray array) ? array.getInitializer() : List.of(value);
		return (initializer != null) ? initializer.stream()
			.filter((element) -> !(element instanceof J.Empty) && !"".equals(literal(element)))
			.toList() : List.of();
	}

	/** Return the name of an enum constant, or an empty text. */
	String constant(String name) {
		Expression value = get(name);
		return (value instanceof J.FieldAccess access) ? access.getSimpleName()
				: (value instanceof J.Identifier identifier) ? identifier.getSimpleName() : "";
	}

	/** Return whether an attribute is the literal {@code false}. */
	boolean isFalse(String name) {
		Expression value = get(name);
		return value != null && Boolean.FALSE.equals(literal(value));
	}

	/** Return an attribute as it was written, such as {@code expire = 5000}. */
	String source(String name) {
		Expression value = this.values.get(name);
		return name + " = " + ((value != null) ? value.printTrimmed(new JavaPrinter<>()) : "");
	}

	/** Return the value of a literal, or null for another expression. */
	static @Nullable Object literal(Expression value) {
		if (value instanceof J.Literal literal) {
			return literal.getValue();
		}
		if (value instanceof J.Unary unary && unary.getOperator() == J.Unary.Type.Negative
				&& literal(unary.getExpression()) instanceof Number number) {
			return -number.longValue();
		}
		return (value instanceof J.Parentheses<?> inner && inner.getTree() instanceof Expression tree) ? literal(tree)
				: null;
	}

}
