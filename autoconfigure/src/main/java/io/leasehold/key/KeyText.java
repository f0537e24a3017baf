package io.leasehold.key;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.BaseStream;

import io.leasehold.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.util.ObjectUtils;

/**
 * Conversion of values to text, as in SpEL, if their text identifies them.
 */
final class KeyText {

	private static final ConversionService CONVERSION = DefaultConversionService.getSharedInstance();

	/** Name and opening bracket of a generated {@code toString()}. */
	private static final Pattern COMPONENTS = Pattern.compile("[\\w.$]+[\\[({]");

	private static final Pattern NULL_INSIDE = Pattern.compile("=null[,\\])}]");

	private static final ClassValue<Boolean> ANONYMOUS = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			try {
				return type.getMethod("toString").getDeclaringClass() == Object.class;
			}
			catch (NoSuchMethodException ex) {
				return true;
			}
		}

	};

	private KeyText() {
	}

	/** Return the elements of a collection or array, or null for another value. */
	static @Nullable Collection<?> elements(@Nullable Object value) {
		if (value instanceof Collection<?> collection) {
			return collection;
		}
		return ObjectUtils.isArray(value) ? Arrays.asList(ObjectUtils.toObjectArray(value)) : null;
	}

	/** Reject a value that cannot be a key or a part of one. */
	static Object require(@Nullable Object value, KeyPart part) {
		if (value instanceof String || value instanceof Integer || value instanceof Long) {
			return value;
		}
		if (value == null) {
			throw new LockKeyException(null, "%s is null".formatted(part.text()));
		}
		if (isSeveral(value)) {
			throw new LockKeyException(null,
					"%s has a %s where one value is needed: use one of its elements, or a collection of whole keys"
						.formatted(part.text(), value.getClass().getSimpleName()));
		}
		if (ANONYMOUS.get(value.getClass())) {
			throw new LockKeyException(null, "%s is a %s, which does not override toString(): use its id instead"
				.formatted(part.text(), value.getClass().getName()));
		}
		return value;
	}

	private static boolean isSeveral(Object value) {
		return value instanceof Iterable<?> && !(value instanceof Path) || value instanceof Map
				|| value instanceof Optional || value instanceof OptionalInt || value instanceof OptionalLong
				|| value instanceof OptionalDouble || value instanceof Iterator || value instanceof BaseStream
				|| value.getClass().isArray();
	}

	static String key(@Nullable Object value, KeyPart part) {
		String text = of(require(value, part), part);
		if (text.isBlank()) {
			throw new LockKeyException(text, "%s is blank".formatted(part.text()));
		}
		return text;
	}

	/** Return the text of a value that may be a key or a part of one. */
	static String of(Object value, KeyPart part) {
		if (value instanceof String text) {
			return text;
		}
		if (value instanceof Integer || value instanceof Long || value instanceof UUID) {
			return value.toString();
		}
		boolean convertible = CONVERSION.canConvert(value.getClass(), String.class);
		String text = String.valueOf(convertible ? CONVERSION.convert(value, String.class) : value);
		if (isGeneratedWithNull(text, value.getClass().getSimpleName())) {
			throw new LockKeyException(null,
					"%s is %s, which contains null: use values that are never null".formatted(part.text(), text));
		}
		return text;
	}

	/**
	 * Whether a text is a generated {@code toString()} of a record, Lombok or Kotlin
	 * class with a null component: {@code OrderId[region=eu, number=null]}.
	 */
	private static boolean isGeneratedWithNull(String text, String type) {
		Matcher components = COMPONENTS.matcher(text);
		return components.lookingAt() && components.group().endsWith(type + text.charAt(components.end() - 1))
				&& NULL_INSIDE.matcher(text).find(components.end());
	}

}
