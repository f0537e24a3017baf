package io.leasehold.key;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.leasehold.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.Ternary;

/**
 * Part of a key. The operands of a concatenation are separate parts, because SpEL
 * silently converts a null operand to {@code "order:null"}. Parts of only texts and
 * parameters are evaluated without SpEL.
 */
sealed interface KeyPart {

	/**
	 * Evaluate this part.
	 * @return its value, which may be null
	 * @throws LockKeyException if an operand cannot be part of a key
	 */
	@Nullable Object value(KeyCall call);

	/** Return the source text of this part, for messages. */
	String text();

	static boolean isConcatenation(SpelNode node) {
		return node instanceof OpPlus && node.getChildCount() == 2;
	}

	/** Whether there is a key per element, as in {@code #ids.!['order:' + #this]}. */
	static boolean isProjection(SpelNode node) {
		return node instanceof CompoundExpression && node.getChild(node.getChildCount() - 1) instanceof Projection;
	}

	/** Return the expression that is evaluated per element. */
	static SpelNodeImpl projected(SpelNode compound) {
		return (SpelNodeImpl) compound.getChild(compound.getChildCount() - 1).getChild(0);
	}

	/** Return the expression of the elements. */
	static SpelNodeImpl elements(SpelNodeImpl compound) {
		SpelNodeImpl[] before = new SpelNodeImpl[compound.getChildCount() - 1];
		for (int i = 0; i < before.length; i++) {
			before[i] = child(compound, i);
		}
		return (before.length == 1) ? before[0]
				: new CompoundExpression(compound.getStartPosition(), compound.getEndPosition(), before);
	}

	static KeyPart of(SpelNodeImpl node, KeyVariables variables) {
		String text = node.toStringAST();
		Integer position = variables.position(node);
		if (position != null) {
			return new Argument(text, position);
		}
		if (node instanceof Literal literal) {
			return new Fixed(text, literal.getLiteralValue().getValue());
		}
		if (isConcatenation(node)) {
			return new Joined(text, node, of(child(node, 0), variables), of(child(node, 1), variables));
		}
		if (node instanceof InlineList) {
			KeyPart[] keys = new KeyPart[node.getChildCount()];
			Arrays.setAll(keys, (i) -> of(child(node, i), variables));
			return new Listed(text, keys);
		}
		if (node instanceof Ternary) {
			return new Choice(text, child(node, 0), of(child(node, 1), variables), of(child(node, 2), variables));
		}
		if (isProjection(node)) {
			return new Projected(text, elements(node), of(projected(node), variables));
		}
		return new Expression(text, node);
	}

	private static SpelNodeImpl child(SpelNodeImpl node, int index) {
		return (SpelNodeImpl) node.getChild(index);
	}

	record Fixed(String text, @Nullable Object fixed) implements KeyPart {

		@Override
		public @Nullable Object value(KeyCall call) {
			return this.fixed;
		}

	}

	record Argument(String text, int position) implements KeyPart {

		@Override
		public @Nullable Object value(KeyCall call) {
			return call.argument(this.position);
		}

	}

	/** One of two parts, depending on a condition. */
	record Choice(String text, SpelNodeImpl condition, KeyPart yes, KeyPart no) implements KeyPart {

		private static final TypeDescriptor BOOLEAN = TypeDescriptor.valueOf(Boolean.class);

		@Override
		public @Nullable Object value(KeyCall call) {
			Object chosen = call.state().convertValue(this.condition.getTypedValue(call.state()), BOOLEAN);
			if (chosen == null) {
				throw new LockKeyException(null, "%s is null".formatted(this.condition.toStringAST()));
			}
			return (Boolean.TRUE.equals(chosen) ? this.yes : this.no).value(call);
		}

	}

	/** A key per operand of a list, as in {@code {'from:' + #from, 'to:' + #to}}. */
	record Listed(String text, KeyPart... keys) implements KeyPart {

		@Override
		public Object value(KeyCall call) {
			List<String> texts = new ArrayList<>(this.keys.length);
			for (KeyPart key : this.keys) {
				texts.add(KeyText.key(key.value(call), key));
			}
			return texts;
		}

	}

	/** A key per element of a collection, an array or another source of elements. */
	record Projected(String text, SpelNodeImpl elements, KeyPart key) implements KeyPart {

		@Override
		public @Nullable Object value(KeyCall call) {
			ExpressionState state = call.state();
			Object source = this.elements.getValue(state);
			if (source == null) {
				return null;
			}
			List<@Nullable Object> keys = new ArrayList<>();
			for (Object value : elementsOf(source)) {
				state.pushActiveContextObject(new TypedValue(value));
				state.enterScope();
				keys.add(this.key.value(call));
				state.exitScope();
				state.popActiveContextObject();
			}
			return keys;
		}

		private Iterable<?> elementsOf(Object source) {
			if (source instanceof Map<?, ?> map) {
				return map.entrySet();
			}
			Iterable<?> several = (source instanceof Iterable<?> iterable) ? iterable : KeyText.elements(source);
			if (several == null) {
				throw new LockKeyException(null, "%s is a %s, which has no elements"
					.formatted(this.elements.toStringAST(), source.getClass().getTypeName()));
			}
			return several;
		}

	}

	/** Any other expression, evaluated by SpEL. */
	record Expression(String text, SpelNodeImpl node) implements KeyPart {

		@Override
		public @Nullable Object value(KeyCall call) {
			Object value = this.node.getValue(call.state());
			if (value instanceof String text && isCall()) {
				KeyText.checkConverted(text, this);
			}
			return value;
		}

		/** Whether a method returns the value, which may have converted an object. */
		private boolean isCall() {
			return this.node instanceof CompoundExpression
					&& this.node.getChild(this.node.getChildCount() - 1) instanceof MethodReference;
		}

	}

	/** Two parts: their texts joined, or the sum of two numbers. */
	record Joined(String text, SpelNodeImpl node, KeyPart left, KeyPart right) implements KeyPart {

		@Override
		public @Nullable Object value(KeyCall call) {
			Object first = KeyText.require(this.left.value(call), this.left);
			Object second = KeyText.require(this.right.value(call), this.right);
			return (first instanceof String || second instanceof String)
					? KeyText.of(first, this.left).concat(KeyText.of(second, this.right))
					: this.node.getValue(call.state());
		}

	}

}
