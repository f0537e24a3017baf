package io.leasehold.key;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.ExpressionState;

/**
 * Call whose key is evaluated. Creates the SpEL state only if a part of the key needs it.
 */
final class KeyCall {

	private final KeyContext context;

	private final @Nullable Object target;

	private final @Nullable Object[] arguments;

	private @Nullable ExpressionState state;

	KeyCall(KeyContext context, @Nullable Object target, @Nullable Object[] arguments) {
		this.context = context;
		this.target = target;
		this.arguments = arguments;
	}

	@Nullable Object argument(int position) {
		return this.arguments[position];
	}

	ExpressionState state() {
		ExpressionState result = this.state;
		if (result == null) {
			result = this.context.newState(this.target, this.arguments);
			this.state = result;
		}
		return result;
	}

}
