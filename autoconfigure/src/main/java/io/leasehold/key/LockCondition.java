package io.leasehold.key;

import io.leasehold.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.spel.ast.SpelNodeImpl;

/**
 * Expression that decides whether a call acquires its lock. Thread-safe.
 */
public final class LockCondition {

	private static final TypeDescriptor BOOLEAN = TypeDescriptor.valueOf(Boolean.class);

	private final SpelNodeImpl node;

	private final KeyContext context;

	LockCondition(SpelNodeImpl node, KeyContext context) {
		this.node = node;
		this.context = context;
	}

	/**
	 * Evaluate the condition of a call.
	 * @return whether the call acquires the lock
	 * @throws LockKeyException if the condition is neither true nor false
	 */
	public boolean holds(@Nullable Object target, @Nullable Object[] arguments) {
		KeyCall call = new KeyCall(this.context, target, arguments);
		try {
			Object value = call.state().convertValue(this.node.getTypedValue(call.state()), BOOLEAN);
			if (value != null) {
				return (Boolean) value;
			}
		}
		catch (RuntimeException ex) {
			throw new LockKeyException(null, message(ex.getMessage()), ex);
		}
		throw new LockKeyException(null, message("it is null"));
	}

	private String message(@Nullable String reason) {
		return "Condition \"%s\" of %s is neither true nor false: %s".formatted(this, this.context.methodName(),
				reason);
	}

	@Override
	public String toString() {
		return this.node.toStringAST();
	}

}
