package io.leasehold.key;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.LockKeys;
import org.jspecify.annotations.Nullable;

/**
 * Expression for the keys of one method. The contents of a call's arguments are never
 * parsed. Thread-safe.
 */
public final class KeyExpression {

	private final String text;

	private final KeyPart part;

	private final KeyContext context;

	private final boolean bare;

	KeyExpression(String text, KeyPart part, KeyContext context, boolean bare) {
		this.text = text;
		this.part = part;
		this.context = context;
		this.bare = bare;
	}

	/**
	 * Return whether the key is the bare value of a parameter or of its property, such as
	 * {@code #id}, without a prefix that distinguishes it from values of other kinds.
	 */
	public boolean isBare() {
		return this.bare;
	}

	/**
	 * Evaluate the keys of a call: one, or one per element of a collection or array.
	 * @throws LockKeyException if there is none, or one that cannot name a lock
	 */
	public LockKeys evaluate(@Nullable Object target, @Nullable Object[] arguments) {
		try {
			Object value = this.part.value(new KeyCall(this.context, target, arguments));
			Collection<?> several = KeyText.elements(value);
			return (several != null) ? severalOf(several) : LockKeys.of(new LockKey(KeyText.key(value, this.part)));
		}
		catch (LockKeyException ex) {
			throw refused(ex.getMessage(), null);
		}
		catch (RuntimeException ex) {
			throw refused(ex.getMessage(), ex);
		}
	}

	private LockKeys severalOf(Collection<?> values) {
		if (values.isEmpty()) {
			throw new LockKeyException(null, "%s is empty".formatted(this.part.text()));
		}
		List<String> texts = new ArrayList<>(values.size());
		for (Object value : values) {
			texts.add(KeyText.key(value, this.part));
		}
		return LockKeys.of(texts);
	}

	private LockKeyException refused(@Nullable String reason, @Nullable Throwable cause) {
		return new LockKeyException(null,
				"Key \"%s\" of %s cannot name a lock: %s".formatted(this.text, this.context.methodName(), reason),
				cause);
	}

	@Override
	public String toString() {
		return this.text;
	}

}
