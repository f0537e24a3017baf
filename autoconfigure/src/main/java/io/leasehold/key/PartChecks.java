package io.leasehold.key;

import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.NullLiteral;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Checks of the parts of a key. Each part is checked for null at each call. A part is
 * rejected here if a null inside it would become the text "null" before that check.
 */
record PartChecks(String text, KeyVariables variables) {

	/** Methods that convert a null argument to the text "null". */
	private static final Set<String> TEXT_OF_NULL = Set.of("T(String).valueOf", "T(String).join",
			"T(String).copyValueOf", "T(java.lang.String).valueOf", "T(java.lang.String).join",
			"T(java.util.Objects).toString");

	/** Check a node and those of its children that are evaluated separately. */
	void check(SpelNode node) {
		if (node instanceof NullLiteral) {
			throw problem("has a part that is always null", "Remove it, or write 'null' in single quotes.");
		}
		refuseType(node);
		if (KeyPart.isConcatenation(node)) {
			checkOperand(node.getChild(0));
			checkOperand(node.getChild(1));
		}
		else if (node instanceof InlineList) {
			checkOperands(node);
		}
		else if (node instanceof Ternary) {
			check(node.getChild(1));
			check(node.getChild(2));
		}
		else if (KeyPart.isProjection(node)) {
			refuseHiddenText(KeyPart.elements((SpelNodeImpl) node));
			check(KeyPart.projected(node));
		}
		else {
			refuseHiddenText(node);
		}
	}

	/** Reject a part if no value of its type can be a key. */
	private void refuseType(SpelNode node) {
		Class<?> type = typeOf(node);
		if (type == null || type.isArray() || !Modifier.isFinal(type.getModifiers())) {
			return;
		}
		KeyType found = KeyType.of(type);
		if (found.problem() != null) {
			throw problem("has a part that is no key: %s %s".formatted(node.toStringAST(), found.problem()),
					StringUtils.capitalize(found.action()) + ".");
		}
	}

	private @Nullable Class<?> typeOf(SpelNode node) {
		if (node instanceof Literal literal) {
			Object value = literal.getLiteralValue().getValue();
			return (value != null) ? value.getClass() : null;
		}
		Class<?> declared = this.variables.type(node);
		return (declared != null) ? ClassUtils.resolvePrimitiveIfNecessary(declared) : null;
	}

	private void checkOperands(SpelNode list) {
		if (list.getChildCount() == 0) {
			throw problem("is an empty list",
					"Write at least one key, such as {'account:' + #from, 'account:' + #to}.");
		}
		for (int i = 0; i < list.getChildCount(); i++) {
			checkOperand(list.getChild(i));
		}
	}

	/** Check a part that must be a single value. */
	private void checkOperand(SpelNode node) {
		Class<?> type = this.variables.type(node);
		if (node instanceof InlineList || type != null
				&& (type.isArray() || Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type))) {
			throw problem("has several values where one is needed: %s".formatted(node.toStringAST()),
					"Create one key per element, such as \"#ids.!['order:' + #this]\", or use one of them.");
		}
		check(node);
	}

	private void refuseHiddenText(SpelNode node) {
		refuseHiddenText(node, false);
	}

	/**
	 * Refuse a + that may join text.
	 * @param number whether the value of the node must be a number
	 */
	private void refuseHiddenText(SpelNode node, boolean number) {
		if (KeyPart.isConcatenation(node)
				&& (joinsText(node) || !number && hidesNull(node.getChild(0), node.getChild(1)))) {
			throw problem(
					(joinsText(node) ? "joins text inside another expression: %s"
							: "may join text inside another expression: %s")
						.formatted(node.toStringAST()),
					"Move the + outside, such as \"'order:' + #name.trim()\", or pass the parts separately:"
							+ " a null inside would become the text \"null\".");
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			if (child instanceof MethodReference method && node instanceof CompoundExpression && i > 0) {
				refuseTextOfNull(node.getChild(i - 1), method);
			}
			refuseHiddenText(child, node instanceof OpModulus || node instanceof OpDivide);
		}
	}

	private void refuseTextOfNull(SpelNode receiver, MethodReference method) {
		String called = "%s.%s".formatted(receiver.toStringAST(), method.getName());
		boolean ofString = receiver instanceof TypeReference && called.endsWith("String).format");
		if (ofString || method.getName().equals("formatted") && joinsText(receiver)) {
			throw problem("formats text with %s(...)".formatted(called),
					"Join the parts with +, such as \"'order:' + #id\": formatting turns null into the text \"null\","
							+ " and its numbers depend on the locale of the process.");
		}
		if (TEXT_OF_NULL.contains(called)) {
			throw problem("converts its parts to text with %s(...)".formatted(called),
					"Join the parts with +, such as \"'order:' + #id\": the method turns null into the text \"null\".");
		}
		if (method.getName().equals("concat")) {
			throw problem("joins text with %s(...)".formatted(called),
					"Join the parts with +, such as \"'order:' + #id\", so that each part is checked.");
		}
	}

	private boolean joinsText(SpelNode node) {
		Class<?> type = typeOf(node);
		return type != null && CharSequence.class.isAssignableFrom(type) || node instanceof OpPlus plus
				&& plus.getChildCount() == 2 && (joinsText(plus.getChild(0)) || joinsText(plus.getChild(1)));
	}

	/** Return whether one of two operands may be a text while the other one is null. */
	private boolean hidesNull(SpelNode left, SpelNode right) {
		return mayBeText(left) && mayBeNull(right) || mayBeText(right) && mayBeNull(left);
	}

	private boolean mayBeText(SpelNode node) {
		if (node instanceof Literal) {
			return node instanceof StringLiteral;
		}
		if (node instanceof Operator) {
			return IntStream.range(0, node.getChildCount()).anyMatch((i) -> mayBeText(node.getChild(i)));
		}
		Class<?> type = typeOf(node);
		return type == null || type.isAssignableFrom(String.class);
	}

	private boolean mayBeNull(SpelNode node) {
		Class<?> type = this.variables.type(node);
		return !(type != null && type.isPrimitive() || node instanceof Literal || node instanceof Operator);
	}

	private InvalidKeyExpressionException problem(String problem, String action) {
		return InvalidKeyExpressionException.of("key", this.text, problem, action);
	}

}
