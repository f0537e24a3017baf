package io.leasehold.key;

import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import org.jspecify.annotations.Nullable;

/**
 * Expression for the keys of one method. What the arguments of a call hold is data: it is
 * never parsed again. Thread-safe.
 */
public final class KeyExpression {

	private final String text;

	private final KeyPart part;

	private final KeyContext context;

	KeyExpression(String text, KeyPart part, KeyContext context) {
		this.text = text;
		this.part = part;
		this.context = context;
	}

	/**
	 * Evaluate the key of a call.
	 * @param target the object that is called
	 * @param arguments the arguments
	 * @return the key
	 * @throws LockKeyException if there is none that could name a lock
	 */
	public LockKey evaluate(@Nullable Object target, @Nullable Object[] arguments) {
		String key;
		try {
			Object value = this.part.value(new KeyCall(this.context, target, arguments));
			key = KeyText.of(KeyText.require(value, this.part));
		}
		catch (LockKeyException ex) {
			throw refused(ex.getMessage(), null);
		}
		catch (RuntimeException ex) {
			throw refused(ex.getMessage(), ex);
		}
		if (key.isBlank()) {
			throw new LockKeyException(key, message("it is blank"));
		}
		return new LockKey(key);
	}

	private LockKeyException refused(@Nullable String reason, @Nullable Throwable cause) {
		return new LockKeyException(null, message(reason), cause);
	}

	private String message(@Nullable String reason) {
		return "Key \"%s\" of %s cannot name a lock: %s".formatted(this.text, this.context.methodName(), reason);
	}

	@Override
	public String toString() {
		return this.text;
	}

}
