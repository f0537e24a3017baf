package io.leasehold.rewrite;

import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;

import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Expression of a key, such as {@code 'order:' + #id}: texts and expressions, joined by
 * {@code +}.
 */
final class KeyText {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private final JavaText code = new JavaText();

	private boolean empty = true;

	private boolean quoted;

	/** Add a text, which may contain placeholders. */
	KeyText text(String text) {
		quote();
		this.code.add(text.replace("'", "''"));
		return this;
	}

	/** Add the text of a constant. */
	KeyText text(Expression constant) {
		quote();
		this.code.add(constant);
		return this;
	}

	/** Add the expression in a constant, which cannot be parsed here. */
	KeyText expression(Expression constant) {
		join();
		this.code.add(constant);
		return this;
	}

	/**
	 * Add an expression.
	 * @param receiver prefix of an expression that begins with a member of its root
	 * @return why the expression cannot be an operand, or null
	 */
	@Nullable String expression(String expression, String receiver) {
		SpelNode node;
		try {
			node = ((SpelExpression) PARSER.parseExpression(expression)).getAST();
		}
		catch (ParseException | IllegalStateException ex) {
			return "it is not a SpEL expression";
		}
		if (node instanceof OpPlus plus && !joinsText(plus)) {
			return "its + may add numbers, and joins texts in a key of Leasehold";
		}
		if (isOperator(node) && hasMember(node)) {
			return "its operator has a member of the root as operand, which a key of Leasehold names by its object";
		}
		if (node instanceof StringLiteral literal) {
			text(String.valueOf(literal.getLiteralValue().getValue()));
			return null;
		}
		join();
		this.code.add(beginsWithMember(node) ? receiver + expression
				: isOperator(node) && !(node instanceof OpPlus) ? "(" + expression + ")" : expression);
		return null;
	}

	JavaText toCode() {
		if (this.quoted) {
			this.code.add("'");
			this.quoted = false;
		}
		return this.code;
	}

	private void quote() {
		if (!this.quoted) {
			join();
			this.code.add("'");
			this.quoted = true;
		}
	}

	private void join() {
		if (!this.empty) {
			toCode().add(" + ");
		}
		this.empty = false;
	}

	/** Whether each {@code +} has a text before or after it. */
	private static boolean joinsText(OpPlus plus) {
		SpelNode left = plus.getLeftOperand();
		return (left instanceof OpPlus before) ? joinsText(before) : left instanceof StringLiteral
				|| plus.getChildCount() > 1 && plus.getChild(1) instanceof StringLiteral;
	}

	private static boolean hasMember(SpelNode node) {
		return beginsWithMember(node) || isOperator(node)
				&& IntStream.range(0, node.getChildCount()).anyMatch((i) -> hasMember(node.getChild(i)));
	}

	private static boolean isOperator(SpelNode node) {
		return node instanceof Operator || node instanceof Ternary || node instanceof Elvis;
	}

	private static boolean beginsWithMember(SpelNode node) {
		SpelNode head = (node instanceof CompoundExpression) ? node.getChild(0) : node;
		return head instanceof PropertyOrFieldReference || head instanceof MethodReference;
	}

}
