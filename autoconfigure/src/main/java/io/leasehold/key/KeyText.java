package io.leasehold.key;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Conversion of values to text, if their text identifies them in every process.
 */
public final class KeyText {

	/** Name and opening bracket of a generated {@code toString()}. */
	private static final Pattern COMPONENTS = Pattern.compile("[\\w.$]+[\\[({]");

	private static final Pattern NULL_INSIDE = Pattern.compile("=null[,\\])}]");

	/** Text of an object or array that inherits {@code toString()}. */
	private static final Pattern IDENTITY = Pattern
		.compile("(\\[[BCDFIJSZ]|[A-Z$][\\w$./]*;?)@[0-9a-f]{4,8}(?![\\w.-])");

	private KeyText() {
	}

	/** Return the elements of a collection or array, or null for another value. */
	static @Nullable Collection<?> elements(@Nullable Object value) {
		if (value instanceof Collection<?> collection) {
			return collection;
		}
		return ObjectUtils.isArray(value) ? Arrays.asList(ObjectUtils.toObjectArray(value)) : null;
	}

	/** Reject a value whose type cannot be a part of a key. */
	static Object require(@Nullable Object value, KeyPart part) {
		if (value instanceof String || value instanceof Integer || value instanceof Long) {
			return value;
		}
		if (value == null) {
			throw new LockKeyException(null, "%s is null".formatted(part.text()));
		}
		String problem = problemOfType(value);
		if (problem != null) {
			throw new LockKeyException(null, part.text() + problem);
		}
		return value;
	}

	/**
	 * Return the text of a value that is a key of its own.
	 * @param subject what the value is, for messages
	 * @throws LockKeyException if the text does not identify the value in every process
	 */
	public static String of(Object value, String subject) {
		return key(value, new KeyPart.Fixed(subject, value));
	}

	static String key(@Nullable Object value, KeyPart part) {
		String text = of(require(value, part), part);
		if (text.isBlank()) {
			throw new LockKeyException(text, "%s is blank".formatted(part.text()));
		}
		return text;
	}

	/** Return the text of a value whose type can be a part of a key. */
	static String of(Object value, KeyPart part) {
		if (value instanceof String text) {
			return text;
		}
		String text = textOf(value);
		String problem = problemOfText(value, text);
		if (problem != null) {
			throw new LockKeyException(null, part.text() + problem);
		}
		return text;
	}

	/** Reject the text of an object that the expression converted. */
	static void checkConverted(String text, KeyPart part) {
		if (hasIdentity(text)) {
			throw new LockKeyException(null, part.text() + identityIn(text));
		}
	}

	private static String textOf(Object value) {
		return (value instanceof Enum<?> constant) ? constant.name() : Objects.toString(value.toString(), "");
	}

	private static @Nullable String problemOfType(Object value) {
		KeyType type = KeyType.of(value.getClass());
		return (type.problem() != null) ? " %s: %s".formatted(type.problem(), type.action()) : null;
	}

	private static @Nullable String problemOfText(Object value, String text) {
		if (value instanceof CharSequence || value instanceof Integer || value instanceof Long
				|| value instanceof UUID) {
			return null;
		}
		List<Method> components = KeyType.of(value.getClass()).components();
		for (Method component : components) {
			String problem = problemOf(ReflectionUtils.invokeMethod(component, value));
			if (problem != null) {
				return "." + component.getName() + problem;
			}
		}
		return components.isEmpty() ? problemOfOwnText(value, text) : null;
	}

	private static @Nullable String problemOfOwnText(Object value, String text) {
		if (text.isEmpty()) {
			return " is a %s with an empty text: use its id".formatted(value.getClass().getTypeName());
		}
		if (hasIdentity(text)) {
			return identityIn(text);
		}
		return isGeneratedWithNull(text, value.getClass().getSimpleName())
				? " is %s, which contains null: use values that are never null".formatted(text) : null;
	}

	private static @Nullable String problemOf(@Nullable Object component) {
		if (component == null) {
			return " is null";
		}
		String problem = problemOfType(component);
		return (problem != null) ? problem : problemOfText(component, textOf(component));
	}

	private static boolean hasIdentity(String text) {
		return text.indexOf('@') >= 0 && IDENTITY.matcher(text).find();
	}

	private static String identityIn(String text) {
		return " is %s, which contains an identity hash code, another one in each process: use an id".formatted(text);
	}

	/**
	 * Whether a text is a generated {@code toString()} of a class of Lombok or an IDE
	 * with a null component: {@code OrderId(region=eu, number=null)}.
	 */
	private static boolean isGeneratedWithNull(String text, String type) {
		Matcher components = COMPONENTS.matcher(text);
		return components.lookingAt() && components.group().endsWith(type + text.charAt(components.end() - 1))
				&& NULL_INSIDE.matcher(text).find(components.end());
	}

}
